--[[
A page of the book: a pandoc filter from its Markdown to what the template wants.

    pandoc -f gfm+east_asian_line_breaks -t html --template docs/site/page.html \
        -L docs/site/page.lua -M page=004-heap/heap.md -M out=build/docs \
        -M pages='index.md 004-heap/heap.md ...'

What it does, in the order of this file:

  Navigation. Order and titles are those of the links in the index of the page's language; pages
  that the index does not name come last. So the index, which people read, is the only list.

  Snippets. A comment `snippet: FILE SYMBOL RANGE` and the block under it become a figure that names
  its lines in the file. The lines are found by the block's own text, below the symbol:
  docs/snippets makes sure that the text is there. One that is not found is an error here, too.

  Invariants. [DELAYED-3] becomes a link to where sources.lua found it stated.

  Links. To a page of the book: to its HTML. To any other file of the repository: to the source
  pane, or, without scripts, to the page source.html.

  Sections for the search, as JSON lines, in OUT/search/.

  Executions. A comment `watch: NAME MOMENT` becomes a card that shows it: embed.js.

  The reference: build/reference/, which docs/manual makes. A comment `reference` becomes a list of
  its pages. A name that it explains is a link to there, where a section first mentions it. On its
  own pages each function has a link to its source.

Apps. A comment `app: NAME` is replaced by docs/site/NAME.html: what pages with a program consist
of.
]]

local common = dofile('docs/site/common.lua')
local stringify = pandoc.utils.stringify

local page, out, up, language -- of the document: 004-heap/heap.md, build/docs, ../, en
local docs = 'docs/'

-- What a page with a program needs besides.
local apps = {
    player = {'stage', 'model', 'lanes', 'figures', 'heap', 'player'},
    scheduler = {'stage', 'model', 'lanes', 'scheduler'},
}
local watching = {'stage', 'model', 'lanes', 'figures', 'heap', 'embed'}
local app     -- of this page
local watches -- there are executions in it

local words = common.words()

local function say(key)
    return assert(words[key], 'docs/site/words: nothing for ' .. key)[language]
end

-- ------------------------------------------------------------------------------------------------
-- Paths

-- normal(PATH): without ./ and ../
local function normal(path)
    local parts = {}
    for part in path:gmatch('[^/]+') do
        if part == '..' and #parts > 0 and parts[#parts] ~= '..' then
            parts[#parts] = nil
        elseif part ~= '.' then
            parts[#parts + 1] = part
        end
    end
    return table.concat(parts, '/')
end

-- from_page(TARGET): a link's target as a path from the top of the repository
local function from_page(target)
    return normal(docs .. (page:match('^(.*/)') or '') .. target)
end

local function is_reference(markdown)
    return markdown:match('^reference/') ~= nil
end

-- file_of(PAGE): where its Markdown is; that of the viewer of sources is not a page of the book,
-- and the reference is made from the headers
local function file_of(markdown)
    return markdown == 'source.md' and 'docs/site/source.md' or
        is_reference(markdown) and 'build/' .. markdown or docs .. markdown
end

local function language_of(markdown)
    return markdown:match('^zh/') and 'zh' or 'en'
end

local function html_of(markdown)
    return (markdown:gsub('%.md$', '.html'))
end

-- ------------------------------------------------------------------------------------------------
-- Navigation

local function title_of(markdown)
    local text = '\n' .. common.read(file_of(markdown))
    return (text:match('\n# ([^\n]+)') or markdown):gsub('`', '')
end

-- groups(INDEX, PAGES): a list of {title, pages}. In the reference only its own pages.
local function groups(index, pages)
    local found, by_title, seen = {}, {}, {['index.md'] = true, ['zh/index.md'] = true}
    local folder = index:match('^(.*/)') or ''

    local function add(title, markdown)
        if seen[markdown] or not pages[markdown] then
            return
        end
        seen[markdown] = true
        if not by_title[title] then
            by_title[title] = {title = title, pages = {}}
            found[#found + 1] = by_title[title]
        end
        table.insert(by_title[title].pages, markdown)
    end

    local fenced = false
    for line in common.lines(common.read(docs .. index)) do
        fenced = (line:sub(1, 3) == '```') ~= fenced
        local group = line:match('^| *[^|]*| *([^|]-) *|') or say('beside')
        if not fenced and not is_reference(page) then
            for target in line:gmatch('%]%(([^)#]+%.md)') do
                add(group, normal(folder .. target))
            end
        end
    end
    for _, markdown in ipairs(pages) do
        if not is_reference(markdown) and not is_reference(page) and
            language_of(markdown) == language then
            add(say('more'), markdown)
        end
    end
    for _, markdown in ipairs(pages) do
        if markdown == 'reference/index.md' or is_reference(markdown) and is_reference(page) then
            add(say('reference'), markdown)
        end
    end
    return found
end

-- In the contents a page of the reference is called by what it is about: pool.h.
local function short_title_of(markdown)
    local title = title_of(markdown)
    return is_reference(markdown) and title:match('^[^:]+') or title
end

local function entry(markdown, sections)
    local html = {'<li><a href="', up, html_of(markdown), '"'}
    local current = markdown == page
    html[#html + 1] = language_of(markdown) ~= language and ' hreflang="en" lang="en"' or ''
    html[#html + 1] = current and ' aria-current="page">' or '>'
    html[#html + 1] = common.escape(short_title_of(markdown)) .. '</a>'
    if current and #sections > 0 then
        html[#html + 1] = '<ol class="sections">'
        for _, each in ipairs(sections) do
            html[#html + 1] = string.format('<li><a href="#%s">%s</a></li>', common.encode(each.id),
                common.escape(each.title))
        end
        html[#html + 1] = '</ol>'
    end
    html[#html + 1] = '</li>\n'
    return table.concat(html)
end

local function navigation(index, all, sections)
    local html = {'<ul>', entry(index, sections), '</ul>\n'}
    for _, group in ipairs(all) do
        html[#html + 1] = '<h2>' .. common.escape(group.title) .. '</h2>\n<ul>\n'
        for _, markdown in ipairs(group.pages) do
            html[#html + 1] = entry(markdown, sections)
        end
        html[#html + 1] = '</ul>\n'
    end
    return table.concat(html)
end

-- neighbours(INDEX, GROUPS): the pages before and after this one
local function neighbours(index, all)
    local order, place = {index}, nil
    for _, group in ipairs(all) do
        for _, markdown in ipairs(group.pages) do
            order[#order + 1] = markdown
        end
    end
    for i, markdown in ipairs(order) do
        place = markdown == page and i or place
    end
    return place and order[place - 1], place and order[place + 1]
end

local function page_link(relation, markdown)
    return markdown and string.format('<a rel="%s" href="%s"><span>%s</span></a>', relation,
        up .. html_of(markdown), common.escape(title_of(markdown))) or ''
end

-- ------------------------------------------------------------------------------------------------
-- Snippets

local sources = {} -- lines of each file that was read

local function source_lines(path)
    if not sources[path] then
        local lines = {}
        for line in common.lines(common.read(path)) do
            lines[#lines + 1] = line
        end
        sources[path] = lines
    end
    return sources[path]
end

-- definition(LINES, SYMBOL): the number of the line where it begins to be looked for
local function definition(lines, symbol)
    if symbol == '*' then
        return 1
    end
    for number, line in ipairs(lines) do
        if line:match('^[%a_#]') and line:match('%f[%w_]' .. symbol .. '%f[^%w_]') and
            not line:match('%);%s*$') then
            return number
        end
    end
    return 1
end

-- holds(LINES, FIRST, BLOCK): is the block there, but for what stands before each line alike?
local function holds(lines, first, block)
    local margin
    for i, wanted in ipairs(block) do
        local line = lines[first + i - 1]
        if not line then
            return false
        end
        if wanted:match('%S') then
            if line:sub(-#wanted) ~= wanted then
                return false
            end
            local before = line:sub(1, #line - #wanted)
            margin = margin or before
            if before ~= margin or before:match('[^%s*/]') then
                return false
            end
        elseif line:match('[^%s*]') then
            return false
        end
    end
    return true
end

local function locate(path, symbol, text)
    local lines, block = source_lines(path), {}
    for line in common.lines(text) do
        block[#block + 1] = line
    end
    for _, from in ipairs {definition(lines, symbol), 1} do
        for first = from, #lines do
            if holds(lines, first, block) then
                return first, first + #block - 1
            end
        end
    end
    error(page .. ': a snippet is not in ' .. path .. ': ' .. symbol)
end

local function html(text)
    return pandoc.RawBlock('html', text)
end

local snippet_count = 0

-- watch(NAME, MOMENT): the card of an execution of docs/site/traces
local function watch(name, moment)
    local list = common.read('docs/site/traces'):gsub('([\128-\255])\n +([\128-\255])', '%1%2')
    list = '\n' .. list:gsub('\n +', ' ') .. '\n\n'
    local entry = list:match('\ntrace: ' .. name:gsub('%-', '%%-') .. '\n.-\n\n')
    if not entry then
        error(page .. ': there is no trace called ' .. name)
    end
    watches = true
    local suffix = language == 'zh' and '%.zh' or ''
    local function told(key)
        return common.escape(entry:match('\n' .. key .. suffix .. ': ([^\n]*)'))
    end
    return html(string.format('<aside class="watch" data-trace="%s" data-moment="%s">' ..
        '<a class="play" href="%s%swatch.html#trace=%s">%s</a><p>%s</p></aside>', name,
        moment ~= '' and moment or '1', up, language == 'zh' and 'zh/' or '', name, told('title'),
        told('text')))
end

-- snippet(PATH, SYMBOL, BLOCK): the blocks of its figure
local function snippet(path, symbol, block)
    local first, last = locate(path, symbol, block.text)
    local place = path .. ':' .. first .. (last > first and '-' .. last or '')
    local is_code = block.classes[1] == 'c'
    local name = symbol == '*' and path:match('[^/]*$') or symbol
    snippet_count = snippet_count + 1
    local open = string.format(
        '<figure class="snippet%s%s" id="snippet-%d" data-path="%s" data-first="%d" ' ..
        'data-last="%d">' ..
        '<figcaption><a class="where" href="%ssource.html#%s"><b>%s</b> <span>%s</span></a>' ..
        '</figcaption>',
        is_code and '' or ' prose', is_code and last - first > 3 and ' long' or '', snippet_count,
        path, first, last, up, place, common.escape(name), place)
    return html(open), pandoc.CodeBlock(block.text, {class = is_code and 'c' or 'text'}),
        html('</figure>')
end

-- ------------------------------------------------------------------------------------------------
-- Invariants and links

local invariants = {}

local function read_invariants()
    for line in io.lines(out .. '/invariants') do
        local name, path, first, last, text = line:match('^(.-)\t(.-)\t(.-)\t(.-)\t(.*)$')
        invariants[name] = invariants[name] or
            {place = path .. ':' .. first .. '-' .. last, text = text}
    end
end

local function invariant_link(name)
    local stated = invariants[name]
    return stated and pandoc.RawInline('html', string.format(
        '<a class="invariant" href="%ssource.html#%s" title="%s">[%s]</a>', up, stated.place,
        common.escape(stated.text), name))
end

local function link_invariants(text)
    local list, from = pandoc.List {}, 1
    for first, name, last in text.text:gmatch('()%[(%u+%-%d+)%]()') do
        local link = invariant_link(name)
        if link then
            if first > from then
                list:insert(pandoc.Str(text.text:sub(from, first - 1)))
            end
            list:insert(link)
            from = last
        end
    end
    if from == 1 then
        return nil
    end
    list:insert(pandoc.Str(text.text:sub(from)))
    return list
end

-- is_switch(PAGE): is it this one in the other language? Then a link to it needs no mark.
local function is_switch(markdown)
    return 'zh/' .. markdown == page
end

local function english_mark()
    return pandoc.RawInline('html', '<span class="in-english">' .. say('in-english') .. '</span>')
end

local function follow_link(link)
    link.target = common.encode(link.target)
    if link.classes:includes('api') or link.target:match('^%a+:') or link.target:match('^#') then
        return link
    end
    local file, anchor = link.target:match('^([^#]*)(.*)$')
    local path = from_page(file)
    local inside = path:match('^docs/(.*%.md)$')
    if inside then
        link.target = up .. html_of(inside) .. anchor
        if language == 'zh' and language_of(inside) == 'en' then
            link.attributes.hreflang = 'en'
            return is_switch(inside) and link or {link, english_mark()}
        end
    elseif path:match('^docs/site/pictures/') then
        link.target = up .. path:match('^docs/site/(.*)$')
    else
        link.target = up .. 'source.html#' .. path
        link.classes = {'source-link'}
    end
    return link
end

-- ------------------------------------------------------------------------------------------------
-- The reference

-- rows(PATH): the first field of each line of a table, and the rest
local function rows(path)
    local found = {}
    for line in io.lines(path) do
        local key, rest = line:match('^([^\t]+)\t(.*)$')
        found[key] = found[key] or rest
    end
    return found
end

-- Code that is a name of the reference, perhaps with an argument list, leads to its entry.
local function reference_link(code, names)
    local name = code.text:match('^(%w+)%b()$') or code.text:match('^([%w_]+)%(?%)?$')
    local page_and_anchor = name and names[name]
    if not page_and_anchor then
        return nil
    end
    local target, anchor = page_and_anchor:match('^(.-)%.md\t(.*)$')
    local place = up .. 'reference/' .. target .. '.html' .. (anchor ~= '' and '#' .. anchor or '')
    local link = pandoc.Link(code, place, '', {class = 'api'})
    if language == 'zh' then
        link.attributes.hreflang = 'en'
    end
    return link, name
end

-- link_names(BLOCKS): at the first mention in each section
local function link_names(list)
    local names, seen = rows('build/reference/names'), {}
    local function code(inline)
        local link, name = reference_link(inline, names)
        if link and not seen[name] then
            seen[name] = true
            return link, false
        end
    end
    local function leave(link)
        return link, false
    end
    return list:map(function(block)
        if block.t == 'Header' then
            seen = {}
            return block
        end
        return pandoc.Div({block}):walk {traverse = 'topdown', Link = leave, Code = code}.content[1]
    end)
end

-- list_reference(): its pages
local function list_reference(pages)
    local parts = {}
    for _, markdown in ipairs(pages) do
        if is_reference(markdown) then
            parts[#parts + 1] = string.format('<li><a href="%s"%s>%s</a></li>',
                up .. html_of(markdown), language == 'zh' and ' hreflang="en"' or '',
                common.escape(short_title_of(markdown)))
        end
    end
    return html('<ul class="reference-list">' .. table.concat(parts) .. '</ul>')
end

local function source_link(place, text)
    return string.format('<a class="source-link" href="%ssource.html#%s">%s</a>', up, place,
        common.escape(text))
end

-- add_sources(BLOCKS): on a page of the reference, under its title the header, and under the name
-- of each function where it is defined
local function add_sources(list)
    local functions, result = rows(out .. '/functions'), pandoc.List {}
    local header = 'impl/include/glasspool/' .. page:match('([^/]*)%.md$') .. '.h'
    for _, block in ipairs(list) do
        result:insert(block)
        local links = {}
        if block.t == 'Header' and block.level == 1 and common.exists(header) then
            links[1] = source_link(header, header)
        elseif block.t == 'Header' and block.level == 3 then
            for name in stringify(block):gmatch('[%w_]+') do
                if functions[name] then
                    links[#links + 1] = source_link(functions[name], functions[name])
                end
            end
        end
        if #links > 0 then
            result:insert(html('<p class="defined">' .. table.concat(links, ' ') .. '</p>'))
        end
    end
    return result
end

-- ------------------------------------------------------------------------------------------------
-- Blocks

local function heading(block)
    if block.level > 1 then
        block.content:insert(pandoc.RawInline('html', string.format(
            ' <a class="anchor" href="#%s" aria-label="%s">#</a>',
            common.encode(block.identifier), say('anchor'))))
    end
    return block
end

-- A quotation that begins in bold, like "In Java / in C.", is a box.
local function box(block)
    local first = block.content[1]
    local bold = first and first.t == 'Para' and first.content[1] and first.content[1].t == 'Strong'
    if not bold then
        return nil
    end
    local list = pandoc.List {html('<aside class="box">')}
    list:extend(block.content)
    list:insert(html('</aside>'))
    return list
end

-- A table of some columns is a list of cards on a phone, one of many wherever there is little room:
-- each cell says what its column is.
local some_columns, many_columns = 3, 5

local function label_cells(block)
    local heads = block.head.rows[1].cells
    for _, row in ipairs(block.bodies[1].body) do
        for i, cell in ipairs(row.cells) do
            cell.attr.attributes['data-label'] = stringify(heads[i].contents)
        end
    end
end

local function wide_table(block)
    local class = 'wide'
    if #block.colspecs >= some_columns then
        label_cells(block)
        class = class .. (#block.colspecs >= many_columns and ' cards' or ' some')
    end
    return {html('<div class="' .. class .. '" tabindex="0" role="group" aria-label="' ..
                 say('table') .. '">'), block, html('</div>')}
end

local function text_block(block)
    if #block.classes > 0 and block.classes[1] ~= 'text' then
        return nil
    end
    return html('<pre class="text" tabindex="0">' .. common.escape(block.text) .. '</pre>')
end

local function blocks(list, pages)
    local result, i = pandoc.List {}, 1
    while i <= #list do
        local block, after = list[i], list[i + 1]
        local comment = block.t == 'RawBlock' and block.text:match('^<!%-%- (.-) %-%->%s*$')
        local path, symbol = (comment or ''):match('^snippet: (%S+) (%S+)')
        local watched, moment = (comment or ''):match('^watch: (%S+) ?(%d*)$')
        local program = (comment or ''):match('^app: (%S+)$')
        if path and after and after.t == 'CodeBlock' then
            result:extend {snippet(path, symbol, after)}
            i = i + 1
        elseif comment == 'reference' then
            result:insert(list_reference(pages))
        elseif watched then
            result:insert(watch(watched, moment))
        elseif program then
            app = program
            result:insert(html((common.read('docs/site/' .. program .. '.html'):gsub('{([%w-]+)}',
                function(key) return common.escape(say(key)) end))))
        elseif not comment then
            result:insert(block)
        end
        i = i + 1
    end
    return result
end

-- ------------------------------------------------------------------------------------------------
-- Sections, for navigation and search

-- text_of(BLOCK): its words; between the cells of a table there is a point
local function text_of(block)
    if block.t ~= 'Table' then
        return stringify(pandoc.utils.blocks_to_inlines({block}, {pandoc.Space()}))
    end
    local cells = {}
    for _, list in ipairs {block.head.rows, block.bodies[1].body} do
        for _, row in ipairs(list) do
            for _, cell in ipairs(row.cells) do
                local text = stringify(cell.contents)
                cells[#cells + 1] = text ~= '' and text or nil
            end
        end
    end
    return table.concat(cells, ' · ')
end

local function sections_of(document)
    local list, current = {}, {id = '', title = title_of(page), text = {}}
    list[1] = current
    for _, block in ipairs(document.blocks) do
        if block.t == 'Header' and block.level > 1 then
            current = {id = block.identifier, title = stringify(block), level = block.level,
                       text = {}}
            list[#list + 1] = current
        elseif block.t ~= 'RawBlock' and block.t ~= 'CodeBlock' and block.t ~= 'Header' then
            table.insert(current.text, text_of(block))
        end
    end
    return list
end

local function write_sections(list)
    local file = common.create(out .. '/search/' .. page .. '.json')
    for _, each in ipairs(list) do
        file:write(string.format('[%s,%s,%s,%s],\n', common.quote(html_of(page)),
            common.quote(each.id), common.quote(each.title),
            common.quote(table.concat(each.text, ' '))))
    end
    file:close()
end

-- The same page in the other language, and that it is; or that language's index.
local function translation()
    local other = language == 'zh' and page:gsub('^zh/', '') or 'zh/' .. page
    local is_twin = common.exists(docs .. other)
    return is_twin and other or language == 'zh' and 'index.md' or 'zh/index.md', is_twin
end

-- pages_of(META): all pages of the site, as a list and as a set
local function pages_of(meta)
    local pages = {}
    for markdown in stringify(meta.pages):gmatch('%S+') do
        pages[#pages + 1] = markdown
        pages[markdown] = true
    end
    return pages
end

local function set(document, list, pages)
    local meta = document.meta
    local headings = {}
    for _, each in ipairs(list) do
        headings[#headings + 1] = each.level == 2 and each or nil
    end
    local index = language == 'zh' and pages['zh/index.md'] and 'zh/index.md' or 'index.md'
    local all = groups(index, pages)
    local before, after = neighbours(index, all)
    local other, is_twin = translation()
    meta.root = pandoc.RawInline('html', up)
    meta.lang = language == 'zh' and 'zh-Hans' or 'en'
    meta.pagetitle = title_of(page)
    meta.nav = html(navigation(index, all, headings))
    meta.home = pandoc.RawInline('html', up .. html_of(index))
    meta.previous = html(page_link('prev', before))
    meta.next = html(page_link('next', after))
    meta[language] = true
    if snippet_count > 0 then
        meta.sided = true
    end
    if app then
        meta.app = app
    end
    local programs = apps[app] or watches and watching
    if programs then
        meta.stylesheet = 'player'
        meta.script = programs
    end
    meta.other = pandoc.RawInline('html', up .. html_of(other))
    meta.twin = is_twin
    meta.say = {}
    for _, row in ipairs(words) do
        meta.say[row.key] = row[language]
    end
end

function Pandoc(document)
    page = stringify(document.meta.page)
    out = stringify(document.meta.out)
    up = page:gsub('[^/]+/', '../'):gsub('[^/]+%.md$', '')
    language = language_of(page)
    read_invariants()
    local list = sections_of(document)
    if page ~= 'source.md' then
        write_sections(list)
    end
    local pages = pages_of(document.meta)
    local content = is_reference(page) and add_sources(document.blocks) or
        link_names(document.blocks)
    document.blocks = blocks(content, pages)
    set(document, list, pages)
    document = document:walk {Str = link_invariants, Link = follow_link}
    return document:walk {Header = heading, BlockQuote = box, Table = wide_table,
                          CodeBlock = text_block}
end
