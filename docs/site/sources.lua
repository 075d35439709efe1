--[[
The sources, highlighted once for all pages.

A pandoc filter that ignores its document. It reads the list of files named by the metadata `list`,
one path a line, and writes, below the directory `out`,

    source/PATH.js    the lines of a file as HTML; a script, since a page that was opened from disk
                      may load scripts but not read files
    source/index.js   all paths, the invariants, and where each function begins: for the search
    invariants        the same invariants as lines of text, for page.lua
    functions         the same of the functions

With the metadata `changed` a line of the list is a file, a tab, and the path to show it as: sources
with a bug in them. Then only the first of these is written.

Highlighting is pandoc's own. In comments, an invariant such as [DELAYED-3] becomes a link to where
it is stated.
]]

local common = dofile('docs/site/common.lua')

local languages = {c = 'c', h = 'c', patch = 'diff', lua = 'lua', md = 'markdown'}

-- language_of(PATH, TEXT): by its ending, or by its first line
local function language_of(path, text)
    local ending = path:match('%.(%w+)$')
    if ending then
        return languages[ending] or ''
    end
    return text:match('^#![^\n]*perl') and 'perl' or text:match('^#!') and 'bash' or ''
end

-- highlighted(PATH, TEXT): its lines, as HTML
local function highlighted(path, text)
    local lines = {}
    local language = language_of(path, text)
    if language == '' then
        for line in common.lines(text) do
            lines[#lines + 1] = common.escape(line)
        end
        return lines
    end
    local block = pandoc.CodeBlock(text:gsub('\n$', ''), {class = language})
    local html = pandoc.write(pandoc.Pandoc {block}, 'html')
    html = html:match('<code[^>]*>(.*)</code>') or ''
    for line in common.lines(html) do
        line = line:gsub('^<span id="[^"]*"><a [^>]*></a>', ''):gsub('</span>$', '', 1)
        lines[#lines + 1] = line
    end
    return lines
end

-- functions(TEXT): {name, line} for each that is defined at the left margin
local function functions(text)
    local found, number, name, from = {}, 0, nil, nil
    for line in common.lines(text) do
        number = number + 1
        if line:match('^[%a_]') and not line:match(';%s*$') then
            local candidate = line:match('([%a_][%w_]*)%(')
            if candidate then
                name, from = candidate, number
            end
        end
        if line == '{' and name then
            found[#found + 1] = {name, from}
            name = nil
        elseif line:match(';%s*$') then
            name = nil
        end
    end
    return found
end

-- invariants(PATH, TEXT, ALL): adds those that this file states
local function invariants(path, text, all)
    local number, open = 0, nil
    for line in common.lines(text) do
        number = number + 1
        local name, words = line:match('^ %*   %[(%u+%-%d+)%] (.*)')
        local more = line:match('^ %*    +([^%s].*)')
        if name then
            open = {name = name, path = path, first = number, last = number, text = words}
            all[#all + 1] = open
        elseif open and more then
            open.last = number
            open.text = open.text .. ' ' .. more
        else
            open = nil
        end
    end
end

local function link_invariants(line, known)
    return (line:gsub('%[(%u+%-%d+)%]', function(name)
        local stated = known[name]
        return stated and string.format('<a class="invariant" href="#%s:%d-%d" title="%s">[%s]</a>',
            stated.path, stated.first, stated.last, common.escape(stated.text), name)
    end))
end

local function write_source(out, path, text, known)
    local file = common.create(out .. '/source/' .. path .. '.js')
    file:write('glasspool.source(', common.quote(path), ', [\n')
    for _, line in ipairs(highlighted(path, text)) do
        file:write(common.quote(link_invariants(line, known)), ',\n')
    end
    file:write(']);\n')
    file:close()
end

local function write_index(out, paths, all, symbols)
    local file = common.create(out .. '/source/index.js')
    file:write('glasspool.sourceIndex({"paths": [\n')
    for i, path in ipairs(paths) do
        file:write(i > 1 and ',\n' or '', common.quote(path))
    end
    file:write('],\n"invariants": [\n')
    for i, each in ipairs(all) do
        file:write(i > 1 and ',\n' or '', string.format('[%s, %s, %d, %d, %s]',
            common.quote(each.name), common.quote(each.path), each.first, each.last,
            common.quote(each.text)))
    end
    file:write('],\n"functions": [\n')
    for i, each in ipairs(symbols) do
        file:write(i > 1 and ',\n' or '', string.format('[%s, %s, %d]', common.quote(each[1]),
            common.quote(each[3]), each[2]))
    end
    file:write(']});\n')
    file:close()
end

local function write_invariants(out, all)
    local file = common.create(out .. '/invariants')
    for _, each in ipairs(all) do
        local row = {each.name, each.path, each.first, each.last, each.text}
        file:write(table.concat(row, '\t'), '\n')
    end
    file:close()
end

local function write_functions(out, symbols)
    local file = common.create(out .. '/functions')
    for _, each in ipairs(symbols) do
        file:write(each[1], '\t', each[3], ':', each[2], '\n')
    end
    file:close()
end

local function write_changed(out, list)
    for line in io.lines(list) do
        local file, path = line:match('^(.-)\t(.*)$')
        write_source(out, path, common.read(file), {})
    end
end

function Pandoc(document)
    local out = pandoc.utils.stringify(document.meta.out)
    local list = pandoc.utils.stringify(document.meta.list)
    if document.meta.changed then
        write_changed(out, list)
        return document
    end
    local paths, texts, all, symbols, known = {}, {}, {}, {}, {}
    for path in io.lines(list) do
        local text = common.read(path)
        paths[#paths + 1] = path
        texts[path] = text
        if path:match('^impl/') or path:match('^harness/') then
            invariants(path, text, all)
        end
        if path:match('^impl/.*%.c$') then
            for _, each in ipairs(functions(text)) do
                symbols[#symbols + 1] = {each[1], each[2], path}
            end
        end
    end
    for _, each in ipairs(all) do
        known[each.name] = known[each.name] or each
    end
    for _, path in ipairs(paths) do
        write_source(out, path, texts[path], known)
    end
    write_index(out, paths, all, symbols)
    write_invariants(out, all)
    write_functions(out, symbols)
    return document
end
