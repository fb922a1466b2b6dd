--- Choosing a model: those that are here or can be fetched, with what they take of memory, and engines that run
--- already.
local client = require("palimpsest.client")
local tell = require("palimpsest.tell")

local M = {}

local function use(model)
  if not model.here then
    tell.say(("fetching %s; the status line shows how far it is."):format(model.title))
  end
  client.command("palimpsest.model." .. (model.here and "use" or "get"), { name = model.name })
end

---@param engine { kind: string, url: string, model: string }
local function use_engine(engine)
  require("palimpsest").setup({ engine = { kind = engine.kind, url = engine.url } })
  local setting = ('vim.g.palimpsest = { engine = { kind = "%s", url = "%s" } }'):format(engine.kind, engine.url)
  tell.say(("the engine at %s serves for now. To keep it, put this into init.lua: %s"):format(engine.url, setting))
end

---@param one table a model, or an engine
local function title(one)
  if one.kind then
    return ("Use the %s that runs at %s (%s)"):format(one.kind, one.url, one.model)
  end
  local marks = vim.iter({ one.about, one.here and "" or "to be fetched" }):filter(function(mark)
    return mark ~= ""
  end)
  local about = marks:join(" · ")
  return ("%s: %s%s"):format(one.title, one.facts, about ~= "" and ("  [%s]"):format(about) or "")
end

--- `:Palimpsest model [name]`.
function M.open(words)
  local wanted = words and words[1]
  client.command("palimpsest.model.list", nil, function(list)
    local rows = vim.list_extend(list.models, wanted and {} or list.engines)
    if not wanted then
      local best = vim.iter(rows):find(function(model)
        return model.name == list.recommended
      end)
      local prompt = best and ("Which model? Recommended for this machine: %s"):format(best.title) or "Which model?"
      return tell.choose(prompt, rows, title, function(one)
        (one.kind and use_engine or use)(one)
      end)
    end
    local found = vim.iter(rows):find(function(model)
      return model.name == wanted
    end)
    use(found or { name = wanted, here = true }) -- the server says that there is none
  end)
end

return M
