-- What the filters share: files, lines, quoting.

local common = {}

function common.read(path)
    local file = assert(io.open(path, 'rb'))
    local text = file:read('a')
    file:close()
    return text
end

function common.exists(path)
    local file = io.open(path, 'rb')
    if file then
        file:close()
    end
    return file ~= nil
end

local made = {}

-- The directory is made if it is not there.
function common.create(path)
    local directory = path:match('^(.*)/')
    if not made[directory] then
        made[directory] = os.execute("mkdir -p '" .. directory .. "'")
    end
    return assert(io.open(path, 'wb'))
end

function common.lines(text)
    if text:sub(-1) ~= '\n' then
        text = text .. '\n'
    end
    return text:gmatch('([^\n]*)\n')
end

function common.escape(text)
    local names = {['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;'}
    return (text:gsub('[&<>"]', names))
end

-- In an address, where only ASCII may stand.
function common.encode(text)
    return (text:gsub('[\128-\255]', function(c)
        return string.format('%%%02X', c:byte())
    end))
end

-- As a string of JSON, and so of JavaScript.
function common.quote(text)
    text = text:gsub('[%c"\\]', function(c)
        return string.format('\\u%04x', c:byte())
    end)
    return '"' .. text:gsub('</', '<\\/') .. '"'
end

-- words(): the rows of docs/site/words, {key, en, zh}, in order and by key
function common.words()
    local rows = {}
    for line in common.lines(common.read('docs/site/words')) do
        if line ~= '' and line:sub(1, 1) ~= '#' then
            local key, en, zh = line:match('^(.-) | (.-) | (.+)$')
            assert(key and not rows[key], 'docs/site/words: ' .. line)
            rows[#rows + 1] = {key = key, en = en, zh = zh}
            rows[key] = rows[#rows]
        end
    end
    return rows
end

return common
