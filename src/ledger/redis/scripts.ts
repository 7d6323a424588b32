/**
 * The Lua that runs inside Redis. Every script is idempotent: a client sends again what it got no answer to. They
 * run on Redis 6.2 and later.
 *
 * Fields of a partition's hash: `@epoch`, `@source` and `@position`; `e:RUN/CALL`, an entry: a letter for its state
 * (`P` is PENDING, the others are for good), then its bytes; `@run/RUN`, the run's call ids.
 */

/** Lists of texts as netstrings (`5:hello`): nothing that a text may hold breaks them. */
const LISTS = `
local function items(list)
  local found, at = {}, 1
  while at <= #list do
    local colon = string.find(list, ':', at, true)
    local size = tonumber(string.sub(list, at, colon - 1))
    found[#found + 1] = string.sub(list, colon + 1, colon + size)
    at = colon + size + 1
  end
  return found
end
local function item(text) return #text .. ':' .. text end
local function without(list, text)
  local kept = {}
  for _, each in ipairs(items(list)) do if each ~= text then kept[#kept + 1] = item(each) end end
  return table.concat(kept)
end
`;

/**
 * KEYS hash, expiry. ARGV epoch, source, from, to, then of each record: offset, run, call, when it expires (or
 * nothing), and the state's letter with the bytes (or nothing for a tombstone).
 */
export const APPLY = `${LISTS}
local head = redis.call('HMGET', KEYS[1], '@epoch', '@source', '@position')
if head[1] ~= ARGV[1] or head[2] ~= ARGV[2] or not head[3] then return {'LOST'} end
local at, takenBack = tonumber(head[3]), 0
if tonumber(ARGV[3]) > at then return {'GAP', head[3]} end
local function remove(run, key)
  local call = string.sub(key, #run + 2)
  redis.call('ZREM', KEYS[2], key)
  if redis.call('HDEL', KEYS[1], 'e:' .. key) == 0 then return end
  local left = without(redis.call('HGET', KEYS[1], '@run/' .. run) or '', call)
  if left == '' then redis.call('HDEL', KEYS[1], '@run/' .. run)
  else redis.call('HSET', KEYS[1], '@run/' .. run, left) end
end
local function put(run, call, key, expiry, value)
  local before = redis.call('HGET', KEYS[1], 'e:' .. key)
  if before and string.byte(before) ~= 80 then return before == value and 0 or 1 end
  if before and string.byte(value) == 80 then return 0 end
  redis.call('HSET', KEYS[1], 'e:' .. key, value)
  if expiry == '' then redis.call('ZREM', KEYS[2], key) else redis.call('ZADD', KEYS[2], expiry, key) end
  if not before then
    local field = '@run/' .. run
    redis.call('HSET', KEYS[1], field, (redis.call('HGET', KEYS[1], field) or '') .. item(call))
  end
  return 0
end
for i = 5, #ARGV, 5 do
  if tonumber(ARGV[i]) >= at then
    local run, call = ARGV[i + 1], ARGV[i + 2]
    local key = run .. '/' .. call
    if ARGV[i + 4] == '' then remove(run, key)
    else takenBack = takenBack + put(run, call, key, ARGV[i + 3], ARGV[i + 4]) end
  end
end
if tonumber(ARGV[4]) > at then redis.call('HSET', KEYS[1], '@position', ARGV[4]) end
return {'OK', takenBack}
`;

/**
 * KEYS hash. ARGV epoch, then of each query: run, how many others, how many calls, the calls. Answers with nothing
 * where there is no position, else with the position and, of each query, call and value in turn. Ids are ordered by
 * their bytes: comparing texts in Lua goes by the server's locale.
 */
export const READ = `${LISTS}
local head = redis.call('HMGET', KEYS[1], '@epoch', '@position')
if head[1] ~= ARGV[1] or not head[2] then return false end
local function before(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end
local answer, i = {head[2]}, 2
while i <= #ARGV do
  local run, others, count = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local found, named = {}, {}
  local function take(call)
    local value = redis.call('HGET', KEYS[1], 'e:' .. run .. '/' .. call)
    if value then found[#found + 1] = call; found[#found + 1] = value end
  end
  for k = i + 3, i + 2 + count do named[ARGV[k]] = true; take(ARGV[k]) end
  if others > 0 then
    local calls = items(redis.call('HGET', KEYS[1], '@run/' .. run) or '')
    table.sort(calls, before)
    for _, call in ipairs(calls) do
      if others == 0 then break end
      if not named[call] then take(call); others = others - 1 end
    end
  end
  answer[#answer + 1] = found
  i = i + 3 + count
end
return answer
`;

/** KEYS hash, expiry. ARGV epoch, instant, limit. Answers with keys of entries. */
export const EXPIRED = `
if redis.call('HGET', KEYS[1], '@epoch') ~= ARGV[1] then return {} end
return redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. ARGV[2], 'LIMIT', 0, ARGV[3])
`;

/** KEYS hash, expiry, and those of the next. ARGV epoch, source. What was there is of no use to anybody: it goes. */
export const BEGIN = `
if redis.call('HGET', KEYS[1], '@source') == ARGV[2] then return end
if redis.call('HGET', KEYS[3], '@source') == ARGV[2] then return end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
redis.call('HSET', KEYS[3], '@epoch', ARGV[1], '@source', ARGV[2], '@position', '0')
`;

/** KEYS hash, expiry, and those of the next. ARGV epoch, source. Answers with the position; nothing where it is gone. */
export const FINISH = `
local function position(key)
  local head = redis.call('HMGET', key, '@epoch', '@source', '@position')
  return head[1] == ARGV[1] and head[2] == ARGV[2] and head[3]
end
local at = position(KEYS[3])
if not at then return position(KEYS[1]) end
redis.call('RENAME', KEYS[3], KEYS[1])
redis.call('UNLINK', KEYS[2])
if redis.call('EXISTS', KEYS[4]) == 1 then redis.call('RENAME', KEYS[4], KEYS[2]) end
return at
`;

/**
 * KEYS a hash of the index. ARGV of each call id in turn: `+` or `-`, the call id, `PARTITION/RUN`. 16 of a call id at
 * most, the first ones.
 */
export const INDEX = `${LISTS}
for i = 1, #ARGV, 3 do
  local call, where = ARGV[i + 1], ARGV[i + 2]
  local list = redis.call('HGET', KEYS[1], call) or ''
  local left = without(list, where)
  local room = left == list and #items(list) < 16
  if ARGV[i] == '+' then
    if room then redis.call('HSET', KEYS[1], call, list .. item(where)) end
  elseif left == '' then redis.call('HDEL', KEYS[1], call)
  elseif left ~= list then redis.call('HSET', KEYS[1], call, left) end
end
`;
