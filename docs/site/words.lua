--[[
The words of the site as a script: a pandoc filter that ignores its document, and writes
OUT/script/words.js from docs/site/words. Scripts ask with glasspool.say (core.js).
]]

local common = dofile('docs/site/common.lua')

function Pandoc(document)
    local file = common.create(pandoc.utils.stringify(document.meta.out) .. '/script/words.js')
    file:write('glasspool.words = {\n')
    for _, row in ipairs(common.words()) do
        file:write(string.format('%s: {en: %s, zh: %s},\n', common.quote(row.key),
            common.quote(row.en), common.quote(row.zh)))
    end
    file:write('};\n')
    file:close()
    return document
end
