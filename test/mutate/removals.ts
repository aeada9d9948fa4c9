/** Faults by leaving out: a call, an early end, a property, a filter. */
import ts from 'typescript'
import { type Context, type Operator, replaced } from './mutant.ts'

/** What is written for those who run the service is not what its tests are about. */
const LOGGING = /^(log|logger|console)\b/

/** In an `if` without more, the condition that never holds says the same. */
const removedStatement: Operator = (node, context) => {
  if (!isRemovable(node, context) || ts.isIfStatement(node.parent)) return []
  return [replaced(node, context, ';')]
}

const isRemovable = (node: ts.Node, { source }: Context): boolean => {
  if (ts.isThrowStatement(node)) return true
  if (ts.isReturnStatement(node)) return endsEarly(node)
  if (!ts.isExpressionStatement(node)) return false
  const called = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression
  return ts.isCallExpression(called) && !LOGGING.test(called.expression.getText(source))
}

/** The last statement of a function answers; one before that ends it early. */
const endsEarly = ({ parent }: ts.ReturnStatement): boolean =>
  (ts.isBlock(parent) && !ts.isFunctionLike(parent.parent)) || ts.isCaseOrDefaultClause(parent)

/** Where types allow that it is missing: it is optional, or what is spread before it has it too. */
const droppedProperty: Operator = (node, { checker, source }) => {
  const isProperty = ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)
  if (!isProperty || !ts.isObjectLiteralExpression(node.parent) || !ts.isIdentifier(node.name)) return []
  const { parent, name } = node
  const before = parent.properties.slice(0, parent.properties.indexOf(node)).filter(ts.isSpreadAssignment)
  const isCovered = before.some(({ expression }) => checker.getTypeAtLocation(expression).getProperty(name.text))
  const asked = checker.getContextualType(parent)
  if (!isCovered && !(asked && mayLack(asked, name.text))) return []
  const end = source.text[node.end] === ',' ? node.end + 1 : node.end
  return [{ start: node.getStart(source), end, text: '' }]
}

const mayLack = (asked: ts.Type, name: string): boolean =>
  (asked.isUnion() ? asked.types : [asked]).some((type) => {
    const property = type.getProperty(name)
    return property ? (property.flags & ts.SymbolFlags.Optional) !== 0 : type.getStringIndexType() !== undefined
  })

/** `some` and `every` change places; `filter` lets everything through. */
const swappedMethod: Operator = (node, context) => {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return []
  const { name, expression } = node.expression
  if (name.text === 'some') return [replaced(name, context, 'every')]
  if (name.text === 'every') return [replaced(name, context, 'some')]
  return name.text === 'filter' ? [replaced(node, context, expression.getText(context.source))] : []
}

export const removals: readonly Operator[] = [removedStatement, droppedProperty, swappedMethod]
