/** Faults in what decides: conditions, their operands, comparisons, and values that are true or false. */
import ts from 'typescript'
import { type Context, type Operator, replaced } from './mutant.ts'

const K = ts.SyntaxKind

const SWAPPED = new Map<ts.SyntaxKind, string>([
  [K.LessThanToken, '<='],
  [K.LessThanEqualsToken, '<'],
  [K.GreaterThanToken, '>='],
  [K.GreaterThanEqualsToken, '>'],
  [K.EqualsEqualsEqualsToken, '!=='],
  [K.ExclamationEqualsEqualsToken, '==='],
  [K.EqualsEqualsToken, '!='],
  [K.ExclamationEqualsToken, '=='],
])

/** A condition that holds always, or never. A loop that never ends says nothing but that it never ends. */
const fixedCondition: Operator = (node, context) => {
  const condition = conditionOf(node)
  if (!condition || isBoolean(condition)) return []
  const never = replaced(condition, context, 'false')
  return ts.isIfStatement(node) || ts.isConditionalExpression(node)
    ? [replaced(condition, context, 'true'), never]
    : [never]
}

const conditionOf = (node: ts.Node): ts.Expression | undefined => {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)) return node.expression
  return ts.isConditionalExpression(node) || ts.isForStatement(node) ? node.condition : undefined
}

/** `a && b` and `a || b` lose one side, `a ?? b` its default. */
const droppedOperand: Operator = (node, context) => {
  if (!ts.isBinaryExpression(node)) return []
  const left = replaced(node, context, node.left.getText(context.source))
  const right = replaced(node, context, node.right.getText(context.source))
  switch (node.operatorToken.kind) {
    case K.AmpersandAmpersandToken:
    case K.BarBarToken:
      return [left, right]
    case K.QuestionQuestionToken:
      return [left]
    default:
      return []
  }
}

const swappedComparison: Operator = (node, context) => {
  const other = ts.isBinaryExpression(node) ? SWAPPED.get(node.operatorToken.kind) : undefined
  return other && ts.isBinaryExpression(node) ? [replaced(node.operatorToken, context, other)] : []
}

const droppedNegation: Operator = (node, context) =>
  ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken
    ? [replaced(node, context, node.operand.getText(context.source))]
    : []

const swappedBoolean: Operator = (node, context) =>
  isBoolean(node) && mayBeBoth(node, context)
    ? [replaced(node, context, node.kind === K.TrueKeyword ? 'false' : 'true')]
    : []

const isBoolean = (node: ts.Node): node is ts.BooleanLiteral =>
  node.kind === K.TrueKeyword || node.kind === K.FalseKeyword

/** Where types ask for `true` alone, the other one does not compile. */
const mayBeBoth = (node: ts.BooleanLiteral, { checker }: Context): boolean => {
  const asked = checker.getContextualType(node)
  return !asked || !(asked.isUnion() ? asked.types : [asked]).every(({ flags }) => isOneSided(flags, asked))
}

const isOneSided = (flags: ts.TypeFlags, asked: ts.Type): boolean =>
  (flags & ts.TypeFlags.BooleanLiteral) !== 0 && (asked.flags & ts.TypeFlags.Boolean) === 0

export const conditions: readonly Operator[] = [
  fixedCondition,
  droppedOperand,
  swappedComparison,
  droppedNegation,
  swappedBoolean,
]
