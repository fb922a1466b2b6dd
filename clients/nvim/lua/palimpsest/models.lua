--- Choosing a model: those that are here or can be fetched, with what they take of memory, and engines that run
--- already.
local client = require("palimpsest.client")
local tell = require("palimpsest.tell")

local M = {}

---@class palimpsest.Model
---@field name string
---@field title string
---@field purpose string
---@field size_gb number
---@field memory_gib number
---@field licence string
---@field here boolean
---@field fits boolean

---@param list { used: string, recommended: string }
---@param model palimpsest.Model
---@return string
local function line(list, model)
  local marks = {}
  local function mark(if_so, text)
    if if_so then
      table.insert(marks, text)
    end
  end
  mark(model.name == list.used, "in use")
  mark(model.name == "default", "the default")
  mark(model.name == list.recommended, "recommended here")
  mark(not model.here, ("to be fetched: %.1f GB"):format(model.size_gb))
  mark(not model.fits, "too large for this machine")
  local tail = #marks > 0 and "  [" .. table.concat(marks, ", ") .. "]" or ""
  return ("%s: %s, %.1f GiB of memory, %s%s"):format(
    model.title ~= "" and model.title or model.name,
    model.purpose,
    model.memory_gib,
    model.licence,
    tail
  )
end

---@param model palimpsest.Model
local function use(model)
  client.command("palimpsest.model.use", { name = model.name }, function(answer)
    if answer then
      tell.say(answer.summary or ("%s is used from now on."):format(model.title))
    end
  end)
end

---@param model palimpsest.Model
local function get(model)
  tell.say(("fetching %s; the status line shows how far it is."):format(model.title))
  client.command("palimpsest.model.get", { name = model.name }, function(answer)
    if answer then
      use(model)
    end
  end)
end

---@param engine { kind: string, url: string, model: string }
local function use_engine(engine)
  require("palimpsest").setup({ engine = { kind = engine.kind, url = engine.url } })
  local text = 'vim.g.palimpsest = { engine = { kind = "%s", url = "%s" } }'
  tell.say(
    ("the engine at %s serves for now. To keep it, put this into init.lua: "):format(engine.url)
      .. text:format(engine.kind, engine.url)
  )
end

---@param list table
---@param engines table[]
local function choose(list, engines)
  local rows = {}
  for _, model in ipairs(list.models) do
    table.insert(rows, { text = line(list, model), model = model })
  end
  for _, engine in ipairs(engines) do
    local text = ("Use the %s that runs at %s (%s)"):format(engine.kind, engine.url, engine.model)
    table.insert(rows, { text = text, engine = engine })
  end
  vim.ui.select(rows, {
    prompt = ("Which model? %s"):format(list.reason or ""),
    format_item = function(row)
      return row.text
    end,
  }, function(row)
    if row and row.engine then
      use_engine(row.engine)
    elseif row then
      (row.model.here and use or get)(row.model)
    end
  end)
end

--- `:Palimpsest model [name]`.
---@param words? string[]
function M.open(words)
  client.command("palimpsest.model.list", nil, function(list)
    if not list then
      return
    end
    local wanted = words and words[1]
    for _, model in ipairs(wanted and list.models or {}) do
      if model.name == wanted then
        return (model.here and use or get)(model)
      end
    end
    if wanted then
      return tell.say(("there is no model `%s`."):format(wanted), vim.log.levels.ERROR)
    end
    client.command("palimpsest.engines.found", nil, function(answer)
      choose(list, answer and answer.engines or {})
    end, { quiet = true })
  end)
end

return M
