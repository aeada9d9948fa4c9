/**
 * Writes what can be read from the sources: the event catalogue (docs/events.md), the description of the interface
 * (docs/openapi.json) and who may call what (docs/capabilities.md). `--check` writes nothing and fails when one of them
 * is out of date.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type {
  Node,
  ShorthandPropertyAssignment,
  SourceFile,
  Symbol as TsSymbol,
  TypeAliasDeclaration,
  TypeChecker,
} from 'typescript'
import { postedTypes } from '../domain/reading/journal.ts'
import { versionOf } from '../domain/write-side/upcasts.ts'
import { capabilityTable } from './runtime/capability-table.ts'
import { openapiDocument, surfaces } from './runtime/openapi.ts'

export type Field = { name: string; optional: boolean; type: string; doc: string }
export type CataloguedEvent = { type: string; doc: string; fields: Field[] }
export type Aggregate = { name: string; stream: string; file: string; purpose: string; events: CataloguedEvent[] }
/** A type that fields refer to by name: an object has fields, any other its text. */
export type NamedType = { name: string; doc: string; text: string; fields: Field[] }
export type Catalogue = { aggregates: Aggregate[]; types: NamedType[] }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DECIDERS = join(ROOT, 'domain/write-side/deciders.ts')

if (import.meta.main) await main()

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: 'boolean' } } })
  const files = {
    'docs/events.md': markdown(await readCatalogue()),
    'docs/openapi.json': `${JSON.stringify(openapiDocument(), null, 2)}\n`,
    'docs/capabilities.md': capabilityTable(surfaces()),
  }
  for (const [file, text] of Object.entries(files)) {
    const present = await readFile(join(ROOT, file), 'utf8').catch(() => undefined)
    if (present === text) continue
    if (values.check) {
      console.error(`${file} is out of date: run npm run catalogue`)
      process.exitCode = 1
    } else {
      await writeFile(join(ROOT, file), text)
      console.log(`wrote ${file}`)
    }
  }
}

/**
 * Reads every aggregate of domain/write-side/deciders.ts with its events, in the order written there, and the types
 * that these name.
 */
export async function readCatalogue(): Promise<Catalogue> {
  const ts = await compiler()
  const options = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    strict: true,
    noEmit: true,
    types: [],
  }
  const program = ts.createProgram([DECIDERS], { ...options, allowImportingTsExtensions: true })
  const source = program.getSourceFile(DECIDERS)
  if (!source) throw new Error('domain/write-side/deciders.ts cannot be read')
  const reading: Reading = { ts, checker: program.getTypeChecker(), named: new Map() }
  return { aggregates: decidersIn(reading, source).map((node) => aggregate(reading, node)), types: types(reading) }
}

type Reading = {
  readonly ts: typeof import('typescript')
  readonly checker: TypeChecker
  /** The types of the domain met so far. */
  readonly named: Map<string, TypeAliasDeclaration>
}

async function compiler(): Promise<Reading['ts']> {
  try {
    return (await import('typescript')).default
  } catch {
    throw new Error('the catalogue needs the development dependencies: run npm ci without --omit=dev')
  }
}

/** The entries of `export const deciders = { … }`, each a name that is imported. */
function decidersIn({ ts }: Reading, source: SourceFile): ShorthandPropertyAssignment[] {
  const declarations = source.statements
    .filter(ts.isVariableStatement)
    .flatMap((each) => [...each.declarationList.declarations])
  const list = declarations.find((each) => each.name.getText() === 'deciders')?.initializer
  if (!list || !ts.isObjectLiteralExpression(list))
    throw new Error('domain/write-side/deciders.ts has no list of deciders')
  const entries = list.properties.filter(ts.isShorthandPropertyAssignment)
  if (entries.length < list.properties.length)
    throw new Error('domain/write-side/deciders.ts: an entry is not a plain name')
  return entries
}

/** An aggregate is `decider<Events, …>({ category, … })`; its file opens with what it is for. */
function aggregate(reading: Reading, entry: ShorthandPropertyAssignment): Aggregate {
  const { ts, checker } = reading
  const name = entry.name.text
  const imported = checker.getShorthandAssignmentValueSymbol(entry)
  const declaration = imported && checker.getAliasedSymbol(imported).valueDeclaration
  const made = declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined
  if (!made || !ts.isCallExpression(made))
    throw new Error(`domain/write-side/deciders.ts: ${name} is not made by decider()`)
  const source = made.getSourceFile()
  const events = made.typeArguments?.[0]
  const category = /\bcategory: '(\w+)'/.exec(made.getText())?.[1]
  const purpose = /\/\*\*[\s\S]*?\*\//.exec(source.text)?.[0]
  const file = relative(ROOT, source.fileName)
  if (!events || !category || !purpose) throw new Error(`${file} lacks its type of events, category or head comment`)
  const all = checker.getTypeFromTypeNode(events).getProperties()
  const stream = `${category}-<id>`
  return { name, stream, file, purpose: prose(purpose), events: all.map((symbol) => event(reading, symbol)) }
}

function event(reading: Reading, symbol: TsSymbol): CataloguedEvent {
  const fields = reading.checker.getTypeOfSymbol(symbol).getProperties()
  const doc = docOf(reading, symbol.valueDeclaration)
  return { type: symbol.name, doc, fields: fields.map((each) => field(reading, each)) }
}

function field(reading: Reading, symbol: TsSymbol): Field {
  const { ts, checker } = reading
  const node = symbol.valueDeclaration
  const type = node && ts.isPropertySignature(node) ? node.type : undefined
  if (type) note(reading, type)
  return {
    name: symbol.name,
    optional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
    type: type ? oneLine(type.getText()) : checker.typeToString(checker.getTypeOfSymbol(symbol)),
    doc: docOf(reading, node),
  }
}

/** Remembers every type of the domain that a type refers to. */
function note(reading: Reading, node: Node): void {
  const { ts, checker, named } = reading
  if (ts.isTypeReferenceNode(node)) {
    const symbol = checker.getSymbolAtLocation(node.typeName)
    const origin = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const alias = origin?.declarations?.find(ts.isTypeAliasDeclaration)
    if (alias?.getSourceFile().fileName.startsWith(join(ROOT, 'domain/'))) named.set(alias.name.text, alias)
  }
  ts.forEachChild(node, (child) => note(reading, child))
}

/** The named types by name. Reading one may name further ones, and a map shows those too while it is gone through. */
function types(reading: Reading): NamedType[] {
  const read: NamedType[] = []
  for (const [name, alias] of reading.named) {
    note(reading, alias.type)
    const isObject = reading.ts.isTypeLiteralNode(alias.type)
    const properties = isObject ? reading.checker.getTypeAtLocation(alias).getProperties() : []
    const text = isObject ? '' : oneLine(alias.type.getText())
    read.push({ name, doc: docOf(reading, alias), text, fields: properties.map((each) => field(reading, each)) })
  }
  return read.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The docstring right above a node. One with a blank line below it belongs to the file. */
function docOf({ ts }: Reading, node: Node | undefined): string {
  if (!node) return ''
  const { text } = node.getSourceFile()
  const comment = ts.getLeadingCommentRanges(text, node.pos)?.at(-1)
  if (!comment || /\n\s*\n/.test(text.slice(comment.end, node.getStart()))) return ''
  const doc = text.slice(comment.pos, comment.end)
  return doc.startsWith('/**') ? prose(doc) : ''
}

function prose(comment: string): string {
  const text = comment.replace(/^\/\*\*|\*\/$/g, '').replace(/^\s*\* ?/gm, '')
  return text.replace(/\s+/g, ' ').trim()
}

function oneLine(text: string): string {
  const bare = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\|\s*/, '')
  return bare.replace(/\s+/g, ' ').trim()
}

/** The catalogue as a page. */
export function markdown({ aggregates, types }: Catalogue): string {
  return `${[
    '# Events',
    'Written by `npm run catalogue` from the sources in `domain/`; not edited by hand.',
    aggregates
      .map(({ name, events }) => `- [${name}](#${name.toLowerCase()}): ${events.map(({ type }) => type).join(', ')}`)
      .join('\n'),
    ...aggregates.flatMap(({ name, stream, file, purpose, events }) => [
      `## ${name}`,
      `Stream \`${stream}\`, from [${file}](../${file}). ${purpose}`,
      ...events.flatMap(({ type, doc, fields }) => [`### ${type}`, ...paragraph(doc, remarks(type)), table(fields)]),
    ]),
    '## Types',
    ...types.flatMap(({ name, doc, text, fields }) => [
      `### ${name}`,
      ...paragraph(doc, text ? `\`${text}\`` : ''),
      ...(fields.length > 0 ? [table(fields)] : []),
    ]),
  ].join('\n\n')}\n`
}

function paragraph(...parts: string[]): string[] {
  const text = parts.filter((part) => part !== '').join(' ')
  return text === '' ? [] : [text]
}

function remarks(type: string): string {
  const money = postedTypes.some((posted) => posted === type) ? 'It moves money: the journal has its postings.' : ''
  const version = versionOf(type)
  return paragraph(money, version > 1 ? `It is stored as version ${version}.` : '').join('')
}

function table(fields: readonly Field[]): string {
  const rows = fields.map(({ name, optional, type, doc }) => {
    const cells = [`${name}${optional ? '?' : ''}`, `\`${type}\``, doc]
    return `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return ['| Field | Type | Meaning |', '|---|---|---|', ...rows].join('\n')
}
