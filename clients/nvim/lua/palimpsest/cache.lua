--- The cache as a picture, in a float that is drawn anew as the cache changes: every cell of the grid stands for some
--- positions, coloured by the kind of block.  Owner of that float.
local client = require("palimpsest.client")
local highlights = require("palimpsest.highlights")
local scratch = require("palimpsest.scratch")
local state = require("palimpsest.state")

local M = {}

local api = vim.api
local WIDTH, HEIGHT = 64, 8
local OWN = { header = "header", footer = "header", tail = "editing" }

---@class palimpsest.Span
---@field start integer
---@field end integer
---@field type string
---@field name string
---@field state string

local now ---@type { buffer: integer, map: table?, asked: boolean }?

---@param span palimpsest.Span
local function kind(span)
  return OWN[span.state] or (span.type ~= "" and span.type) or "other"
end

--- What each cell of the grid mostly shows: a kind, or nil where it is free.
---@param map table
---@param cells integer
---@return table<integer, string>
function M.cells(map, cells)
  local found, most, each = {}, {}, map.n_ctx / cells
  for _, span in ipairs(map.spans) do
    for cell = math.floor(span.start / each), math.min(cells, math.ceil(span["end"] / each)) - 1 do
      local share = math.min(span["end"], (cell + 1) * each) - math.max(span.start, cell * each)
      if share > (most[cell] or 0) then
        most[cell], found[cell + 1] = share, kind(span)
      end
    end
  end
  return found
end

---@param map table
---@param rows palimpsest.Row[]
local function grid(map, rows)
  local cells = M.cells(map, WIDTH * HEIGHT)
  for line = 0, HEIGHT - 1 do
    local row, run, run_kind = {}, "", false ---@type palimpsest.Row, string, string|false|nil
    local function flush()
      if run ~= "" then
        table.insert(row, { run, run_kind and highlights.of_kind(run_kind) or "PalimpsestFree" })
      end
      run = ""
    end
    for cell = line * WIDTH + 1, (line + 1) * WIDTH do
      if cells[cell] ~= run_kind then
        flush()
      end
      run_kind = cells[cell]
      run = run .. (run_kind and "█" or "·")
    end
    flush()
    table.insert(rows, row)
  end
end

---@param map table
---@return palimpsest.Row
local function legend(map)
  local row, seen = {}, {} ---@type palimpsest.Row
  for _, span in ipairs(map.spans) do
    local one = kind(span)
    if not seen[one] then
      seen[one] = true
      table.insert(row, { "█ ", highlights.of_kind(one) })
      table.insert(row, { (one == "editing" and "the code at the cursor" or one) .. "  " })
    end
  end
  table.insert(row, { "· ", "PalimpsestFree" })
  table.insert(row, { "free" })
  return row
end

local function bar(name, share, text, group)
  local filled, free = scratch.bar(share, 24)
  return { { ("%-9s"):format(name) }, { filled, group }, { free, "PalimpsestFree" }, { " " .. text, "PalimpsestDim" } }
end

---@param map table
---@param rows palimpsest.Row[]
local function sums(map, rows)
  local stats, last = map.stats, state.status.last
  local holes = 0
  for _, hole in ipairs(map.free) do
    holes = holes + hole[2] - hole[1]
  end
  local used = ("%d of %d positions, %d free in %d holes"):format(map.used, map.n_ctx, holes, #map.free)
  table.insert(rows, bar("used", map.used / map.n_ctx, used, "PalimpsestKindClass"))
  local all = stats.decoded + stats.reused
  local both = ("%d reused, %d decoded"):format(stats.reused, stats.decoded)
  table.insert(rows, bar("reused", all > 0 and stats.reused / all or 0, both, "PalimpsestReady"))
  local event = last.decoded + last.reused
  if event > 0 then
    local text = ("%d reused, %d decoded, %d ms"):format(last.reused, last.decoded, last.ms)
    table.insert(rows, bar("last", last.reused / event, text, "PalimpsestReady"))
  end
  local stored = ("stored    %d blocks, %.1f MiB in host memory"):format(map.stored.blocks, map.stored.bytes / 1048576)
  table.insert(rows, { { stored, "PalimpsestStored" } })
  local more = ("restored %d, moved %d, evicted %d"):format(stats.restored, stats.moved, stats.evicted)
  table.insert(rows, { { more, "PalimpsestDim" } })
end

---@param map table
---@param rows palimpsest.Row[]
local function spans(map, rows)
  for _, span in ipairs(map.spans) do
    table.insert(rows, {
      { ("%6d–%-6d "):format(span.start, span["end"]), "PalimpsestDim" },
      { ("%-14s"):format(kind(span)), highlights.of_kind(kind(span)) },
      { " " .. span.name },
    })
  end
end

local function draw()
  local map = assert(now).map
  local rows = {} ---@type palimpsest.Row[]
  grid(map, rows)
  table.insert(rows, { { "" } })
  table.insert(rows, legend(map))
  table.insert(rows, { { "" } })
  sums(map, rows)
  table.insert(rows, { { "" } })
  spans(map, rows)
  scratch.draw(now.buffer, rows)
  scratch.float(now.buffer, "Cache", 84, math.min(#rows, 30))
end

local function close()
  local view = now
  now = nil
  state.listen("cache", nil)
  if view then
    scratch.close(view.buffer)
  end
end

--- Asks again, at most one question at a time.
function M.refresh()
  local view = now
  if not view or view.asked then
    return
  end
  if not api.nvim_buf_is_valid(view.buffer) then
    return close()
  end
  view.asked = true
  client.command("palimpsest.cache.map", nil, function(map)
    view.asked = false
    if now == view and map and api.nvim_buf_is_valid(view.buffer) then
      view.map = map
      draw()
    end
  end, { quiet = view.map ~= nil })
end

--- Opens the float, or closes it where it is open.
function M.open()
  if now and api.nvim_buf_is_valid(now.buffer) then
    return close()
  end
  if not client.expect() then
    return
  end
  now = { buffer = scratch.buffer("cache", "palimpsest-cache"), asked = false }
  scratch.set(now.buffer, { "…" })
  scratch.float(now.buffer, "Cache", 84, 3)
  scratch.keys(now.buffer, {
    q = { close, "close" },
    ["<Esc>"] = { close, "close" },
    R = { M.refresh, "ask again" },
    X = { M.reset, "reset the cache" },
  })
  state.listen("cache", M.refresh)
  M.refresh()
end

function M.reset()
  client.command("palimpsest.cache.reset", nil, function(answer)
    if answer then
      require("palimpsest.tell").say("the cache of this window is empty.")
      M.refresh()
    end
  end)
end

---@return { buffer: integer, map: table? }?
function M.current()
  return now
end

return M
