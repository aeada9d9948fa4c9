/** Faults in what is reckoned and answered: signs, numbers, texts, and what a function returns. */
import ts from 'typescript'
import { type Context, type Operator, replaced } from './mutant.ts'

const K = ts.SyntaxKind

const ARITHMETIC = new Map<ts.SyntaxKind, string>([
  [K.PlusToken, '-'],
  [K.MinusToken, '+'],
  [K.AsteriskToken, '/'],
  [K.SlashToken, '*'],
  [K.PercentToken, '*'],
  [K.PlusEqualsToken, '-='],
  [K.MinusEqualsToken, '+='],
])
const NUMERIC = ts.TypeFlags.NumberLike | ts.TypeFlags.BigIntLike
/** Above this a number is a limit or a length, which one more or less does not change: it is doubled. */
const STEPPED_MAX = 100n
/** The names of events and of streams, and versions of shapes: they are declared, and other tests compare them. */
const DECLARED = new Set(['type', 'category', 'stateVersion', 'version'])
const FOR_PEOPLE = /(^|\.)(refuse|log|debug|info|warn|error|[A-Za-z]*Error)$/

const swappedArithmetic: Operator = (node, context) => {
  if (ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node)) return steppedOtherWay(node, context)
  const other = ts.isBinaryExpression(node) ? ARITHMETIC.get(node.operatorToken.kind) : undefined
  return ts.isBinaryExpression(node) && other && isNumeric(node.left, context) && isNumeric(node.right, context)
    ? [replaced(node.operatorToken, context, other)]
    : []
}

const steppedOtherWay = (node: ts.PostfixUnaryExpression | ts.PrefixUnaryExpression, context: Context) => {
  const operand = node.operand.getText(context.source)
  const other = node.operator === K.PlusPlusToken ? '--' : node.operator === K.MinusMinusToken ? '++' : undefined
  if (!other) return []
  return [replaced(node, context, ts.isPrefixUnaryExpression(node) ? other + operand : operand + other)]
}

const isNumeric = (node: ts.Expression, { checker }: Context): boolean =>
  (checker.getTypeAtLocation(node).flags & NUMERIC) !== 0

const otherNumber: Operator = (node, context) => {
  const isBig = ts.isBigIntLiteral(node)
  if ((!isBig && !ts.isNumericLiteral(node)) || isDeclared(node)) return []
  const text = node.getText(context.source).replaceAll('_', '').replace(/n$/, '')
  if (!/^\d+$/.test(text)) return []
  const value = BigInt(text)
  const others = value > STEPPED_MAX ? [value * 2n] : [value + 1n, value - 1n]
  return others.map((other) =>
    replaced(node, context, `${other < 0n ? `(${other}` : other}${isBig ? 'n' : ''}${other < 0n ? ')' : ''}`),
  )
}

const emptiedText: Operator = (node, context) => {
  const isText = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)
  if (!isText || ts.isTaggedTemplateExpression(node.parent)) return []
  const text = node.getText(context.source).slice(1, -1)
  if (text === '' || /\s/.test(text.replace(/\$\{[^}]*\}/g, '')) || isDeclared(node)) return []
  if (isCompared(node.parent) || isForPeople(node) || !mayBeAnyText(node, context)) return []
  return [replaced(node, context, "''")]
}

const isDeclared = ({ parent }: ts.Node): boolean =>
  ts.isPropertyAssignment(parent) && ts.isIdentifier(parent.name) && DECLARED.has(parent.name.text)

/** The comparison itself is swapped, which says more. */
const isCompared = (parent: ts.Node): boolean =>
  ts.isBinaryExpression(parent) &&
  [K.EqualsEqualsEqualsToken, K.ExclamationEqualsEqualsToken].includes(parent.operatorToken.kind)

const isForPeople = ({ parent }: ts.Node): boolean =>
  (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && FOR_PEOPLE.test(parent.expression.getText())

/** Where one of a few texts is asked for, or they are listed `as const`, the empty one would not compile. */
const mayBeAnyText = (node: ts.Expression, { checker }: Context): boolean => {
  if (ts.findAncestor(node, (each) => ts.isAssertionExpression(each) && ts.isConstTypeReference(each.type)))
    return false
  const asked = checker.getContextualType(node)
  return !asked || partsOf(asked).some(({ flags }) => (flags & ts.TypeFlags.String) !== 0)
}

const swappedExtreme: Operator = (node, context) => {
  if (!ts.isPropertyAccessExpression(node) || node.expression.getText(context.source) !== 'Math') return []
  const other = new Map([
    ['min', 'max'],
    ['max', 'min'],
  ]).get(node.name.text)
  return other ? [replaced(node.name, context, other)] : []
}

/** Something plain of the type that is asked for. */
const otherAnswer: Operator = (node, context) => {
  const answer = ts.isReturnStatement(node) ? node.expression : conciseBody(node)
  if (!answer || isNever(answer, context)) return []
  const text = answer.getText(context.source)
  return plainAnswers(node, context)
    .filter((plain) => plain !== text && `(${plain})` !== text)
    .map((plain) => replaced(answer, context, plain))
}

const conciseBody = (node: ts.Node): ts.Expression | undefined =>
  ts.isArrowFunction(node) && !ts.isBlock(node.body) ? node.body : undefined

const isNever = (node: ts.Expression, { checker }: Context): boolean =>
  (checker.getTypeAtLocation(node).flags & ts.TypeFlags.Never) !== 0

const plainAnswers = (node: ts.Node, { checker }: Context): readonly string[] => {
  const within = ts.findAncestor(node, ts.isFunctionLike)
  const signature = within && checker.getSignatureFromDeclaration(within)
  if (!signature) return []
  const type = checker.getReturnTypeOfSignature(signature)
  return [...new Set(partsOf(checker.getAwaitedType(type) ?? type).flatMap((part) => plainOf(part, checker)))]
}

const plainOf = (part: ts.Type, checker: ts.TypeChecker): readonly string[] => {
  const { flags } = part
  if (flags & ts.TypeFlags.Undefined) return ['undefined']
  if (flags & ts.TypeFlags.BooleanLike) return ['true', 'false']
  if (flags & ts.TypeFlags.String) return ["''"]
  if (flags & ts.TypeFlags.Number) return ['0']
  if (flags & ts.TypeFlags.BigInt) return ['0n']
  return checker.isArrayType(part) ? ['[]'] : []
}

const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type])

export const values: readonly Operator[] = [swappedArithmetic, otherNumber, emptiedText, swappedExtreme, otherAnswer]
