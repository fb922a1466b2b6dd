--- Choosing a model: those that are here or can be fetched, with what they take of memory, and engines that run
--- already.
local client = require("palimpsest.client")
local tell = require("palimpsest.tell")

local M = {}

---@param list { used: string, recommended: string }
local function line(list, model)
  local marks = vim.tbl_filter(function(mark)
    return mark ~= ""
  end, {
    model.name == list.used and "in use" or "",
    model.name == "default" and "the default" or "",
    model.name == list.recommended and "recommended here" or "",
    model.here and "" or ("to be fetched: %.1f GB"):format(model.size_gb),
    model.fits and "" or "too large for this machine",
  })
  local tail = #marks > 0 and "  [" .. table.concat(marks, ", ") .. "]" or ""
  local title = model.title ~= "" and model.title or model.name
  local text = "%s: %s, %.1f GiB of memory, %s%s"
  return text:format(title, model.purpose, model.memory_gib, model.licence, tail)
end

local function use(model)
  if not model.here then
    tell.say(("fetching %s; the status line shows how far it is."):format(model.title))
  end
  client.command("palimpsest.model." .. (model.here and "use" or "get"), { name = model.name }, function(answer)
    tell.say(answer.summary)
  end)
end

---@param engine { kind: string, url: string, model: string }
local function use_engine(engine)
  require("palimpsest").setup({ engine = { kind = engine.kind, url = engine.url } })
  local setting = ('vim.g.palimpsest = { engine = { kind = "%s", url = "%s" } }'):format(engine.kind, engine.url)
  tell.say(("the engine at %s serves for now. To keep it, put this into init.lua: %s"):format(engine.url, setting))
end

local function choose(list, engines)
  local rows = vim.tbl_map(function(model)
    return { text = line(list, model), use = use, what = model }
  end, list.models)
  for _, engine in ipairs(engines) do
    local text = ("Use the %s that runs at %s (%s)"):format(engine.kind, engine.url, engine.model)
    table.insert(rows, { text = text, use = use_engine, what = engine })
  end
  tell.choose(("Which model? %s"):format(list.reason or ""), rows, function(row)
    return row.text
  end, function(row)
    row.use(row.what)
  end)
end

--- `:Palimpsest model [name]`.
function M.open(words)
  local wanted = words and words[1]
  client.command("palimpsest.model.list", nil, function(list)
    local engines = {}
    if not wanted then
      return client.command("palimpsest.engines.found", nil, function(answer)
        engines = answer.engines
      end, {
        quiet = true,
        finally = vim.schedule_wrap(function()
          choose(list, engines)
        end),
      })
    end
    for _, model in ipairs(list.models) do
      if model.name == wanted then
        return use(model)
      end
    end
    tell.error(("there is no model `%s`."):format(wanted))
  end)
end

return M
