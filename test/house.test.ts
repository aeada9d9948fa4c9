/**
 * Folders that are modules, literals that are written out, lines that fit, and groups that lose nothing: H1 to H3, H10
 * and H11 of the plain house.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import test from 'ava'
import ts from 'typescript'
import { lostIn } from './support/endpoint-groups.ts'
import { type Import, ringsOf, siblingsOf } from './support/folders.ts'
import { found, parsed, ROOT, sources, textOf } from './support/source-files.ts'

/** The product; tests and benches lie as they are best found. */
const PRODUCT = ['domain', 'projections', 'adapters', 'src']
const SIBLINGS_MAX = 24
const COLUMNS_MAX = 120
/** Lines of ARCHITECTURE.md, which is read in one go. */
const HOUSE_LINES_MAX = 300
/** Made of the sources, or kept as others wrote them. */
const GENERATED = ['docs/capabilities.md', 'docs/events.md', 'docs/requirements.md']

const productFiles = sources(ROOT).filter((file) => PRODUCT.some((folder) => file.startsWith(`${folder}/`)))

test('no folder needs another in a circle, at any depth', (t) => {
  const imports = productFiles.flatMap(importsOf)
  t.true(imports.length > productFiles.length, 'imports are seen')
  t.deepEqual(ringsOf(imports), [])
  const broken: Import[] = [...imports, ['domain/card/payment.ts', 'domain/use-cases/card/pay.ts']]
  t.true(ringsOf(broken).length > 0, 'a circle is found')
})

test('a folder that needs what lies beside it in a circle is told by its folders', (t) => {
  t.deepEqual(
    ringsOf([
      ['a/b/one.ts', 'a/c/two.ts'],
      ['a/c/three.ts', 'a/b/four.ts'],
    ]),
    ['a/b a/c'],
  )
  t.deepEqual(
    ringsOf([
      ['a/one.ts', 'a/c/two.ts'],
      ['a/c/two.ts', 'a/three.ts'],
    ]),
    ['a/* a/c'],
  )
  t.deepEqual(
    ringsOf([
      ['a/b/x/one.ts', 'a/b/y/two.ts'],
      ['a/c/three.ts', 'a/b/x/four.ts'],
    ]),
    [],
  )
})

test(`at most ${SIBLINGS_MAX} files and folders lie side by side`, (t) => {
  const files = globSync(`{${PRODUCT.join(',')}}/**/*.*`, { cwd: ROOT, exclude: ['**/node_modules/**'] })
  const crowded = [...siblingsOf(files)].filter(([, count]) => count > SIBLINGS_MAX)
  t.deepEqual(crowded, [])
})

test('no literal is spread', (t) => {
  const files = sources(ROOT).filter((file) => /\.\.\.[\s(]*[[{]/.test(textOf(file)))
  t.true(files.length > 0, 'one that is quoted in a text is seen')
  const spreads = files.flatMap((file) => found(file, (node) => (spreadsLiteral(node) ? 'spread' : undefined)))
  t.deepEqual(spreads, [])
})

test(`no comment is wider than ${COLUMNS_MAX} columns`, (t) => {
  const scripts = globSync('adapters/**/*.js', { cwd: ROOT })
  t.true(scripts.length > 10, 'the scripts of pages are seen')
  const texts = [
    ...sources(ROOT).map((file) => [file, textOf(file)] as const),
    ...scripts.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const),
  ]
  const wide = texts.flatMap(([file, text]) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        /^\s*(\/\*|\*|\/\/)/.test(line) && [...line].length > COLUMNS_MAX ? [`${file}:${at + 1}`] : [],
      ),
  )
  t.deepEqual(wide, [])
})

test(`no text of a page is wider than ${COLUMNS_MAX} columns, and the house is told in ${HOUSE_LINES_MAX} lines`, (t) => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).filter((page) => !GENERATED.includes(page))
  t.true(pages.includes('ARCHITECTURE.md') && pages.includes('docs/decisions/http.md'), 'pages are seen')
  const wide = pages.flatMap((page) =>
    proseOf(readFileSync(join(ROOT, page), 'utf8')).flatMap(([at, line]) =>
      [...line].length > COLUMNS_MAX ? [`${page}:${at}`] : [],
    ),
  )
  t.deepEqual(wide, [])
  t.true(readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').trimEnd().split('\n').length <= HOUSE_LINES_MAX)
})

test('a group of an endpoint keeps every member that a spread before it brings', (t) => {
  const endpoints = productFiles.filter((file) => file.startsWith('adapters/http/'))
  t.deepEqual(
    endpoints.flatMap((file) => lostIn(parsed(file))),
    [],
  )
  const broken = `import { reads } from '../agent/audit/fields.ts'
    const paying = { limits: { keyless: true, pays: true } } as const
    const kept = { ...paying, limits: { pays: true, keyless: true }, callers: { scope: 'openid' } }
    const lost = { ...reads, ...kept, limits: { pays: true } }`
  const source = ts.createSourceFile('adapters/http/buyer/broken.ts', broken, ts.ScriptTarget.Latest, true)
  t.deepEqual(lostIn(source), [
    'adapters/http/buyer/broken.ts:4 callers.capability',
    'adapters/http/buyer/broken.ts:4 limits.keyless',
  ])
})

/** The numbered lines of a page that are neither a table nor something to type or to compare. */
const proseOf = (page: string): readonly (readonly [number, string])[] => {
  let isFenced = false
  return page.split('\n').flatMap((line, at) => {
    if (line.trimStart().startsWith('```')) isFenced = !isFenced
    return isFenced || /^( {4}|\s*\|)/.test(line) ? [] : [[at + 1, line] as const]
  })
}

const importsOf = (file: string): readonly Import[] =>
  found(file, (node) => {
    const named = ts.isImportDeclaration(node) || ts.isExportDeclaration(node) ? node.moduleSpecifier : calledIn(node)
    return named && ts.isStringLiteral(named) && named.text.startsWith('.') ? named.text : undefined
  }).map((line): Import => [file, normalize(join(dirname(file), line.slice(line.indexOf(' ') + 1)))])

/** What `import(…)` names. */
const calledIn = (node: ts.Node): ts.Node | undefined =>
  ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword ? node.arguments[0] : undefined

const spreadsLiteral = (node: ts.Node): boolean => {
  if (!ts.isSpreadAssignment(node) && !ts.isSpreadElement(node)) return false
  let { expression } = node
  while (ts.isParenthesizedExpression(expression)) ({ expression } = expression)
  return ts.isObjectLiteralExpression(expression) || ts.isArrayLiteralExpression(expression)
}
