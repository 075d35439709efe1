--[[
A page of the book: a pandoc filter from its Markdown to what the template wants.

    pandoc -f gfm -t html --template docs/site/page.html -L docs/site/page.lua \
        -M page=004-heap/heap.md -M out=build/docs -M pages='index.md 004-heap/heap.md ...'

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

Apps. A comment `app: NAME` is replaced by docs/site/NAME.html: what pages with a program consist
of.
]]

local common = dofile('docs/site/common.lua')
local stringify = pandoc.utils.stringify

local page, out, up, language -- of the document: 004-heap/heap.md, build/docs, ../, en
local docs = 'docs/'

-- What a page with a program needs besides.
local apps = {
    player = {'model', 'lanes', 'figures', 'heap', 'player'},
    scheduler = {'model', 'lanes', 'scheduler'},
}
local watching = {'model', 'lanes', 'figures', 'heap', 'embed'}
local app     -- of this page
local watches -- there are executions in it

local words = {
    en = {beside = 'Beside them', more = 'More', other = '中文', anchor = 'Link to this section',
          show = 'show', picture = 'Picture in text'},
    zh = {beside = '其他', more = '更多', other = 'English', anchor = '本节链接', show = '展开',
          picture = '文字图'},
}

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

-- file_of(PAGE): where its Markdown is; that of the viewer of sources is not a page of the book
local function file_of(markdown)
    return markdown == 'source.md' and 'docs/site/source.md' or docs .. markdown
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

-- groups(INDEX, PAGES): a list of {title, pages}
local function groups(index, pages)
    local found, by_title, seen = {}, {}, {[index] = true}
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
        local group = line:match('^| *[^|]*| *([^|]-) *|') or words[language].beside
        if not fenced then
            for target in line:gmatch('%]%(([^)#]+%.md)') do
                add(group, normal(folder .. target))
            end
        end
    end
    for _, markdown in ipairs(pages) do
        if (markdown:match('^zh/') and 'zh' or 'en') == language then
            add(words[language].more, markdown)
        end
    end
    return found
end

local function entry(markdown, sections)
    local html = {'<li><a href="', up, html_of(markdown), '"'}
    local current = markdown == page
    html[#html + 1] = current and ' aria-current="page">' or '>'
    html[#html + 1] = common.escape(title_of(markdown)) .. '</a>'
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
    local list = '\n' .. common.read('docs/site/traces'):gsub('\n +', ' ') .. '\n\n'
    local entry = list:match('\ntrace: ' .. name:gsub('%-', '%%-') .. '\n.-\n\n')
    if not entry then
        error(page .. ': there is no trace called ' .. name)
    end
    watches = true
    return html(string.format('<aside class="watch" data-trace="%s" data-moment="%s">' ..
        '<a class="play" href="%swatch.html#trace=%s">%s</a><p>%s</p></aside>', name,
        moment ~= '' and moment or '1', up, name, common.escape(entry:match('\ntitle: ([^\n]*)')),
        common.escape(entry:match('\ntext: ([^\n]*)'))))
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

local function follow_link(link)
    link.target = common.encode(link.target)
    if link.target:match('^%a+:') or link.target:match('^#') then
        return link
    end
    local file, anchor = link.target:match('^([^#]*)(.*)$')
    local path = from_page(file)
    local inside = path:match('^docs/(.*%.md)$')
    if inside then
        link.target = up .. html_of(inside) .. anchor
    elseif path:match('^docs/site/pictures/') then
        link.target = up .. path:match('^docs/site/(.*)$')
    else
        link.target = up .. 'source.html#' .. path
        link.classes = {'source-link'}
    end
    return link
end

-- ------------------------------------------------------------------------------------------------
-- Blocks

local function heading(block)
    if block.level > 1 then
        block.content:insert(pandoc.RawInline('html', string.format(
            ' <a class="anchor" href="#%s" aria-label="%s">#</a>',
            common.encode(block.identifier), words[language].anchor)))
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

local function wide_table(block)
    return {html('<div class="wide" tabindex="0" role="region" aria-label="Table">'), block,
            html('</div>')}
end

local function text_block(block)
    if #block.classes > 0 and block.classes[1] ~= 'text' then
        return nil
    end
    return html('<pre class="text" tabindex="0">' .. common.escape(block.text) .. '</pre>')
end

local function blocks(list)
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
        elseif watched then
            result:insert(watch(watched, moment))
        elseif program then
            app = program
            result:insert(html(common.read('docs/site/' .. program .. '.html')))
        elseif not comment then
            result:insert(block)
        end
        i = i + 1
    end
    return result
end

-- ------------------------------------------------------------------------------------------------
-- Sections, for navigation and search

local function sections_of(document)
    local list, current = {}, {id = '', title = title_of(page), text = {}}
    list[1] = current
    for _, block in ipairs(document.blocks) do
        if block.t == 'Header' and block.level > 1 then
            current = {id = block.identifier, title = stringify(block), level = block.level,
                       text = {}}
            list[#list + 1] = current
        elseif block.t ~= 'RawBlock' and block.t ~= 'CodeBlock' and block.t ~= 'Header' then
            table.insert(current.text, stringify(block))
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

-- The same page in the other language, or that language's index.
local function translation()
    local other = language == 'zh' and page:gsub('^zh/', '') or 'zh/' .. page
    local index = language == 'zh' and 'index.md' or 'zh/index.md'
    return common.exists(docs .. other) and other or common.exists(docs .. index) and index
end

local function set(document, list)
    local meta = document.meta
    local pages, headings = {}, {}
    for markdown in stringify(meta.pages):gmatch('%S+') do
        pages[#pages + 1] = markdown
        pages[markdown] = true
    end
    for _, each in ipairs(list) do
        headings[#headings + 1] = each.level == 2 and each or nil
    end
    local index = language == 'zh' and pages['zh/index.md'] and 'zh/index.md' or 'index.md'
    local all = groups(index, pages)
    local before, after = neighbours(index, all)
    local other = translation()
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
    if other then
        meta.other = pandoc.RawInline('html', up .. html_of(other))
        meta.othername = words[language].other
    end
end

function Pandoc(document)
    page = stringify(document.meta.page)
    out = stringify(document.meta.out)
    up = page:gsub('[^/]+/', '../'):gsub('[^/]+%.md$', '')
    language = page:match('^zh/') and 'zh' or 'en'
    read_invariants()
    local list = sections_of(document)
    if page ~= 'source.md' then
        write_sections(list)
    end
    document.blocks = blocks(document.blocks)
    set(document, list)
    document = document:walk {Str = link_invariants, Link = follow_link}
    return document:walk {Header = heading, BlockQuote = box, Table = wide_table,
                          CodeBlock = text_block}
end
