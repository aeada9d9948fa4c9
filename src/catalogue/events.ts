/** The events of the ledger as the sources of its deciders say them. */
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type {
  CallExpression,
  Declaration,
  Node,
  ObjectLiteralElementLike,
  ShorthandPropertyAssignment,
  SourceFile,
  Symbol as TsSymbol,
  TypeAliasDeclaration,
  TypeChecker,
} from 'typescript'

export type EventField = { name: string; optional: boolean; type: string; doc: string }
/** `commands` are those of its decider that may yield it. */
type CataloguedEvent = { type: string; doc: string; fields: EventField[]; commands: string[] }
type Aggregate = {
  name: string
  category: string
  stream: string
  file: string
  purpose: string
  events: CataloguedEvent[]
}
/** A type that fields refer to by name: an object has fields, any other its text. */
type NamedType = { name: string; doc: string; text: string; fields: EventField[] }
export type Catalogue = { aggregates: Aggregate[]; types: NamedType[] }

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DECIDERS = join(ROOT, 'domain/write-side/deciders.ts')

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
    // Without the types of the browser, which the domain does not know, and which take as long as the domain to read.
    lib: ['lib.esnext.d.ts'],
  }
  const program = ts.createProgram([DECIDERS], { ...options, allowImportingTsExtensions: true })
  const source = program.getSourceFile(DECIDERS)
  if (!source) throw new Error('domain/write-side/deciders.ts cannot be read')
  const reading: TypeReader = { ts, checker: program.getTypeChecker(), named: new Map() }
  return { aggregates: decidersIn(reading, source).map((node) => aggregate(reading, node)), types: types(reading) }
}

/**
 * The events of each category of streams, and the names of the fields that each of them has for certain, as JSON. A
 * reader of a log learns from it what the ledger can read, without loading what decides.
 */
export function requiredFields({ aggregates }: Catalogue): string {
  const named = aggregates.map(({ category, events }) => [
    category,
    Object.fromEntries(events.map(({ type, fields }) => [type, certain(fields)])),
  ])
  return `${JSON.stringify(Object.fromEntries(named), null, 2)}\n`
}

const certain = (fields: readonly EventField[]): string =>
  fields.flatMap(({ name, optional }) => (optional ? [] : [name])).join(' ')

type TypeReader = {
  readonly ts: typeof import('typescript')
  readonly checker: TypeChecker
  /** The types of the domain met so far. */
  readonly named: Map<string, TypeAliasDeclaration>
}

async function compiler(): Promise<TypeReader['ts']> {
  try {
    return (await import('typescript')).default
  } catch {
    throw new Error('the catalogue needs the development dependencies: run npm ci without --omit=dev')
  }
}

/** The entries of `export const deciders = { … }`, each a name that is imported. */
function decidersIn({ ts }: TypeReader, source: SourceFile): ShorthandPropertyAssignment[] {
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
function aggregate(reading: TypeReader, entry: ShorthandPropertyAssignment): Aggregate {
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
  const commands = commandsIn(reading, made)
  return {
    name,
    category,
    stream: `${category}-<id>`,
    file,
    purpose: prose(purpose),
    events: all.map((symbol) => event(reading, symbol, commands)),
  }
}

/** Each command of a decider with the texts that say what it decides, in the order written there. */
type Commands = readonly { readonly name: string; readonly said: string }[]

function commandsIn({ ts, checker }: TypeReader, made: CallExpression): Commands {
  const given = made.arguments[0]
  const parts = given && ts.isObjectLiteralExpression(given) ? given.properties : []
  const decide = parts.find((each) => each.name?.getText() === 'decide')
  if (!decide) return []
  return membersOf({ ts, checker }, decide).map(({ name, declaration }) => ({
    name,
    said: saidBy({ ts, checker }, declaration),
  }))
}

/** The members of a property that is an object: as they are written there, or else as the compiler finds them. */
function membersOf({ ts, checker }: Pick<TypeReader, 'ts' | 'checker'>, property: ObjectLiteralElementLike) {
  const written = ts.isPropertyAssignment(property) ? property.initializer : undefined
  const members = written && ts.isObjectLiteralExpression(written) ? written.properties : []
  const named = members.filter((each) => each.name !== undefined && ts.isIdentifier(each.name))
  if (named.length > 0 && named.length === members.length)
    return named.map((declaration) => ({ name: declaration.name?.getText() ?? '', declaration }))
  return checker
    .getTypeOfSymbol(checker.getSymbolAtLocation(property.name ?? property) ?? (property as never))
    .getProperties()
    .map(({ name, valueDeclaration: declaration }) => ({ name, declaration }))
}

/** The text of a declaration, and of what it uses of the same folder or below. */
function saidBy(reading: Pick<TypeReader, 'ts' | 'checker'>, declaration: Declaration | undefined): string {
  const { ts, checker } = reading
  const seen = new Set<Node>()
  const texts: string[] = []
  const isMember = (child: Node) => ts.isPropertyAccessExpression(child.parent) && child.parent.name === child
  const visit = (node: Node | undefined, folder: string) => {
    if (!node || seen.has(node)) return
    seen.add(node)
    texts.push(node.getText())
    const look = (child: Node) => {
      // What a member of something is, only a whole check of its type would say; it is no function of the folder.
      if (ts.isIdentifier(child) && !isMember(child)) {
        const symbol = ts.isShorthandPropertyAssignment(child.parent)
          ? checker.getShorthandAssignmentValueSymbol(child.parent)
          : checker.getSymbolAtLocation(child)
        const origin = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
        const made = origin?.valueDeclaration
        const isFunction = made && (ts.isFunctionDeclaration(made) || ts.isVariableDeclaration(made))
        if (isFunction && made.getSourceFile().fileName.startsWith(folder)) visit(made, folder)
      }
      ts.forEachChild(child, look)
    }
    ts.forEachChild(node, look)
  }
  visit(declaration, declaration ? join(declaration.getSourceFile().fileName, '..') : '')
  return texts.join('\n')
}

function event(reading: TypeReader, symbol: TsSymbol, decided: Commands): CataloguedEvent {
  const fields = reading.checker.getTypeOfSymbol(symbol).getProperties()
  const doc = docOf(reading, symbol.valueDeclaration)
  const commands = decided.filter(({ said }) => said.includes(`'${symbol.name}'`)).map(({ name }) => name)
  return { type: symbol.name, doc, fields: fields.map((each) => field(reading, each)), commands }
}

function field(reading: TypeReader, symbol: TsSymbol): EventField {
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
function note(reading: TypeReader, node: Node): void {
  const { ts, checker, named } = reading
  if (ts.isTypeReferenceNode(node)) {
    const symbol = checker.getSymbolAtLocation(node.typeName)
    const origin = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const alias = origin?.declarations?.find(ts.isTypeAliasDeclaration)
    if (alias?.getSourceFile().fileName.startsWith(join(ROOT, 'domain/'))) {
      const known = named.get(alias.name.text)
      if (known && known !== alias) throw new Error(`two types of the domain are named ${alias.name.text}`)
      named.set(alias.name.text, alias)
    }
  }
  ts.forEachChild(node, (child) => note(reading, child))
}

/**
 * The named types in the order of their names. Reading one may add further ones, which the loop over the map then
 * reaches, too.
 */
function types(reading: TypeReader): NamedType[] {
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
function docOf({ ts }: TypeReader, node: Node | undefined): string {
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
