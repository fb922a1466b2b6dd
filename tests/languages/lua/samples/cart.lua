--- What a customer has chosen so far.
local money = require("shop.money")
local round = require("shop.numbers").round

local MOST_LINES = 200
local carts, emptied = 0, 0

---@class Cart
---@field owner string
local Cart = {}
Cart.__index = Cart

--- Makes an empty cart.
---@param owner string
---@return Cart
function Cart.new(owner)
  local self = setmetatable({}, Cart)
  self.owner = owner
  self.lines = {}
  carts = carts + 1
  return self
end

--- Adds some of an article.
function Cart:add(article, count)
  local line = self:find(article.name)
  if line == nil then
    line = { article = article, count = 0 }
    self.lines[#self.lines + 1] = line
  elseif #self.lines > MOST_LINES then
    error("zu viele Zeilen: „" .. article.name .. "“")
  end
  line.count = line.count + (count or 1)
  return line
end

function Cart:find(name)
  for _, line in ipairs(self.lines) do
    if line.article.name:lower() == name:lower() then
      return line
    end
  end
end

-- In cents, before any discount.
function Cart:total()
  local total = 0
  for index = 1, #self.lines do
    local line = self.lines[index]
    total = total + money.times(line.article.price, line.count)
  end
  return round(total)
end

Cart.empty = function(self)
  self.lines = {}
  emptied = emptied + 1
end

local Staff = setmetatable({}, { __index = Cart })
Staff.__index = Staff

function Staff:total()
  local whole = Cart.total(self)
  return math.floor(whole * 0.9)
end

local helpers = {
  names = function(cart)
    local names = {}
    for _, line in ipairs(cart.lines) do
      table.insert(names, line.article.name)
    end
    return names
  end,
  limit = MOST_LINES,
}

local function report(cart, ...)
  local text = [[
Cart of %s:
  end of lines
]]
  local extra = select("#", ...)
  repeat
    extra = extra - 1
    local done = extra <= 0
  until done
  return text:format(cart.owner), table.concat(helpers.names(cart), ", ")
end

return { Cart = Cart, Staff = Staff, report = report, carts = function() return carts, emptied end }
