import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import type { RefusalCode } from '../../domain/kernel/refusal.ts'
import { refusalWords } from '../../domain/kernel/refusals/refusal-words.ts'
import { parsed, ROOT, sources } from './source-files.ts'

/**
 * What the sources refuse with, as far as it can be read in them. A text is followed through constants, both branches
 * of a condition, tables, helpers that make it, and functions which hand their own parameters on to a refusal.
 */

export type RefusalText = {
  /** None where the code is known at run time alone. */
  readonly code: RefusalCode | undefined
  /** Undefined where the refusal says what its code says. `HOLE` stands for what is known at run time alone. */
  readonly text: string | undefined
  readonly place: string
}

export const HOLE = '…'

/** Which arguments of a function are the code and the text of a refusal. */
type Refuser = { readonly code: number | readonly string[]; readonly text: number; readonly otherwise?: RefusalCode }

const SEEDS: ReadonlyMap<string, Refuser> = new Map([
  ['refuse', { code: 0, text: 1 }],
  ['Refusal', { code: 0, text: 1 }],
  ['deletedOr', { code: 1, text: 2 }],
  ['LimitReached', { code: 3, text: 2, otherwise: 'rate-limited' }],
])

/** Where the classes and functions above are written themselves. */
const KERNEL = /^domain\/kernel\/(refusal|refusals\/limits)\.ts$/

export const refusalTexts = (): RefusalText[] => {
  const files = sources(ROOT).filter((file) => /^(domain|adapters|src)\//.test(file) && !KERNEL.test(file))
  return files.flatMap((file) => callsIn(parsed(file)).flatMap((call) => textsOf(file, call, SEEDS, files)))
}

type Call = ts.CallExpression | ts.NewExpression

const calls = new Map<ts.SourceFile, Call[]>()
const callsIn = (source: ts.SourceFile): Call[] => {
  const known = calls.get(source)
  if (known) return known
  const all: Call[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) all.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  calls.set(source, all)
  return all
}

const textsOf = (file: string, call: Call, refusers: ReadonlyMap<string, Refuser>, files: string[]): RefusalText[] => {
  const source = parsed(file)
  const name = ts.isIdentifier(call.expression) ? call.expression.text : undefined
  const refuser = name === undefined ? undefined : refusers.get(name)
  const place = `${file}:${source.getLineAndCharacterOfPosition(call.getStart()).line + 1}`
  const args = call.arguments ?? []
  if (!refuser) return []
  const code = typeof refuser.code === 'number' ? (args[refuser.code] ?? codesOf(refuser.otherwise)) : refuser.code
  const text = args[refuser.text]
  const handed = handedOn(call, code, text)
  if (handed) return files.flatMap((user) => usesOf(user, file, handed, files))
  const codes = code && 'kind' in code ? readings(file, code) : [...(code ?? [])]
  const known = codes.filter((one): one is RefusalCode => one in refusalWords)
  const said = text ? readings(file, text) : []
  const texts = said.length > 0 ? said : [undefined]
  const asked: (RefusalCode | undefined)[] = known.length > 0 ? known : [undefined]
  return asked.flatMap((one) => texts.map((words) => ({ code: one, text: words, place })))
}

const codesOf = (code: RefusalCode | undefined): readonly string[] => (code ? [code] : [])

type Handed = { readonly name: string; readonly refuser: Refuser }

/** The function around a refusal, where it hands its own parameters on to it. */
const handedOn = (call: Call, code: ts.Node | readonly string[] | undefined, text?: ts.Node): Handed | undefined => {
  const owner = ownerOf(call)
  if (!owner) return
  const at = (node: ts.Node | undefined): number =>
    node && ts.isIdentifier(node) ? owner.parameters.indexOf(node.text) : -1
  const codeAt = code && 'kind' in code ? at(code) : -1
  const textAt = at(text)
  if (codeAt < 0 && textAt < 0) return
  const file = call.getSourceFile().fileName
  const fixed = code && 'kind' in code ? readings(file, code) : (code ?? [])
  return { name: owner.name, refuser: { code: codeAt < 0 ? fixed : codeAt, text: textAt } }
}

/** The named function that a node stands in, with the names of its parameters. */
const ownerOf = (node: ts.Node): { name: string; parameters: string[] } | undefined => {
  for (let at: ts.Node | undefined = node.parent; at; at = at.parent) {
    const isArrow = ts.isArrowFunction(at) && ts.isVariableDeclaration(at.parent)
    const name = isArrow ? (at.parent as ts.VariableDeclaration).name : ts.isFunctionDeclaration(at) ? at.name : null
    if (name && ts.isIdentifier(name))
      return {
        name: name.text,
        parameters: (at as ts.ArrowFunction).parameters.map((one) => one.name.getText()),
      }
  }
  return
}

/** What the callers of such a function refuse with, in the file where it stands and in those that import it. */
const usesOf = (user: string, file: string, { name, refuser }: Handed, files: string[]): RefusalText[] => {
  if (user !== file && importOf(parsed(user), name)?.file !== file) return []
  return callsIn(parsed(user)).flatMap((call) => textsOf(user, call, new Map([[name, refuser]]), files))
}

/** Everything that an expression may say; nothing where it is undefined. */
const readings = (file: string, node: ts.Node, depth = 0): string[] => {
  const inner = (child: ts.Node): string[] => readings(file, child, depth + 1)
  if (depth > 12) return [HOLE]
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (before, span) => joined(joined(before, inner(span.expression)), [span.literal.text]),
      [node.head.text],
    )
  if (ts.isConditionalExpression(node)) return [...inner(node.whenTrue), ...inner(node.whenFalse)]
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node))
    return inner(node.expression)
  if (ts.isSatisfiesExpression(node)) return inner(node.expression)
  if (ts.isBinaryExpression(node)) return ofOperator(node, inner)
  if (ts.isElementAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const table = declarationOf(file, node.expression.text, node)
    return table ? tableOf(table.file, table.node, depth) : [HOLE]
  }
  if (ts.isIdentifier(node)) {
    if (node.text === 'undefined') return []
    const found = declarationOf(file, node.text, node)
    if (!found || isFunction(found.node)) return [HOLE]
    const said = [found.node, ...(assigned(parsed(found.file)).get(node.text) ?? [])]
    return said.flatMap((one) => readings(found.file, one, depth + 1))
  }
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
    const found = declarationOf(file, node.expression.text, node)
    return found && isFunction(found.node) ? returnsOf(found.file, found.node, depth) : [HOLE]
  }
  return [HOLE]
}

/** Each beginning with each end, as long as these are few. */
const joined = (heads: string[], tails: string[]): string[] =>
  tails.length === 0 || heads.length * tails.length > 24
    ? heads.map((head) => `${head}${HOLE}`)
    : heads.flatMap((head) => tails.map((tail) => `${head}${tail}`))

const ofOperator = (node: ts.BinaryExpression, inner: (child: ts.Node) => string[]): string[] => {
  const kind = node.operatorToken.kind
  if (kind === ts.SyntaxKind.PlusToken) return joined(inner(node.left), inner(node.right))
  if (kind === ts.SyntaxKind.QuestionQuestionToken || kind === ts.SyntaxKind.BarBarToken)
    return [...inner(node.left), ...inner(node.right)]
  return [HOLE]
}

/** What stands in a table, whatever is looked up in it. */
const tableOf = (file: string, node: ts.Node, depth: number): string[] => {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return tableOf(file, node.expression, depth)
  if (!ts.isObjectLiteralExpression(node)) return [HOLE]
  return node.properties.flatMap((one) =>
    ts.isPropertyAssignment(one) ? readings(file, one.initializer, depth + 1) : [HOLE],
  )
}

type Function = ts.ArrowFunction | ts.FunctionDeclaration
const isFunction = (node: ts.Node): node is Function => ts.isArrowFunction(node) || ts.isFunctionDeclaration(node)

const returnsOf = (file: string, { body }: Function, depth: number): string[] => {
  if (!body) return [HOLE]
  if (!ts.isBlock(body)) return readings(file, body, depth + 1)
  const all: string[] = []
  const visit = (node: ts.Node): void => {
    if (isFunction(node)) return
    if (ts.isReturnStatement(node) && node.expression) all.push(...readings(file, node.expression, depth + 1))
    ts.forEachChild(node, visit)
  }
  visit(body)
  return all
}

/** What a name stands for where it is used: in the block around it, further out, or in the file that it is from. */
const declarationOf = (file: string, name: string, use?: ts.Node, hops = 0): Declaration | undefined => {
  const source = parsed(file)
  for (let scope: ts.Node | undefined = use ?? source; scope; scope = scope.parent) {
    const here = declarationsOf(source)
      .get(name)
      ?.find((node) => scopeOf(node) === scope)
    if (here) return { file, node: here }
  }
  const from = hops < 3 ? importOf(source, name) : undefined
  return from && declarationOf(from.file, from.name, undefined, hops + 1)
}

type Declaration = { readonly file: string; readonly node: ts.Node }

/** The block, function or file in which a name is known: that of a function is known around it. */
const scopeOf = (declared: ts.Node): ts.Node => {
  const isParameter = ts.isParameter(declared)
  for (let at = declared.parent; ; at = at.parent)
    if (ts.isSourceFile(at) || (isParameter ? ts.isFunctionLike(at) : ts.isBlock(at))) return at
}

const declared = new Map<ts.SourceFile, Map<string, ts.Node[]>>()
const declarationsOf = (source: ts.SourceFile): Map<string, ts.Node[]> => {
  const known = declared.get(source)
  if (known) return known
  const all = new Map<string, ts.Node[]>()
  const add = (name: string, node: ts.Node): unknown => all.set(name, [...(all.get(name) ?? []), node])
  const visit = (node: ts.Node): void => {
    if (ts.isParameter(node) && ts.isIdentifier(node.name)) add(node.name.text, node)
    else if (ts.isFunctionDeclaration(node) && node.name) add(node.name.text, node)
    else if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      add(node.name.text, node.initializer)
    ts.forEachChild(node, visit)
  }
  visit(source)
  declared.set(source, all)
  return all
}

/** What is assigned to the variables of a file after they were declared. */
const assigned = (source: ts.SourceFile): Map<string, ts.Node[]> => {
  const known = assignments.get(source)
  if (known) return known
  const all = new Map<string, ts.Node[]>()
  const visit = (node: ts.Node): void => {
    const isOne = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken
    if (isOne && ts.isIdentifier(node.left)) all.set(node.left.text, [...(all.get(node.left.text) ?? []), node.right])
    ts.forEachChild(node, visit)
  }
  visit(source)
  assignments.set(source, all)
  return all
}
const assignments = new Map<ts.SourceFile, Map<string, ts.Node[]>>()

const importOf = (source: ts.SourceFile, name: string): { file: string; name: string } | undefined => {
  for (const one of source.statements) {
    if (!ts.isImportDeclaration(one) || !ts.isStringLiteral(one.moduleSpecifier)) continue
    const names = one.importClause?.namedBindings
    const found = names && ts.isNamedImports(names) && names.elements.find((element) => element.name.text === name)
    const file = join(dirname(source.fileName), one.moduleSpecifier.text)
    if (found && existsSync(join(ROOT, file))) return { file, name: found.propertyName?.text ?? name }
  }
  return
}
