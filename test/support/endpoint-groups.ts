import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { parsed } from './source-files.ts'

/**
 * The groups of an endpoint's declaration. A group that is given after a spread replaces the one that the spread
 * brings, so it has to name every member of that one again.
 */
const GROUPS = ['callers', 'limits', 'takes']

/** Members of groups that literals of a file lose to a later group, as `file:line group.member`. */
export const lostIn = (source: ts.SourceFile): string[] => {
  const results = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
      for (const lost of lostBy({ literal: node, source })) results.add(`${source.fileName}:${line} ${lost}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...results]
}

type Written = { readonly literal: ts.ObjectLiteralExpression; readonly source: ts.SourceFile }

const lostBy = (written: Written): string[] => {
  const properties = propertiesOf(written)
  return GROUPS.flatMap((group) => {
    const given = properties.filter(({ name }) => name === group).map(({ members }) => members())
    return given.flat().flatMap((name) => (given.at(-1)?.includes(name) ? [] : [`${group}.${name}`]))
  })
}

type Property = { readonly name: string; members(): string[] }

/** The properties of a literal and of what it spreads, in the order in which they replace each other. */
const propertiesOf = ({ literal, source }: Written): Property[] =>
  literal.properties.flatMap((property) => {
    if (ts.isSpreadAssignment(property)) return propertiesIn(property.expression, source)
    const value = ts.isPropertyAssignment(property) ? property.initializer : property.name
    const members = () => propertiesIn(value, source).map(({ name }) => name)
    return [{ name: property.name.getText(source), members }]
  })

const propertiesIn = (node: ts.Node, source: ts.SourceFile): Property[] => {
  const written = literalOf(node, source)
  return written ? propertiesOf(written) : []
}

/** The literal that an expression is, or that a constant has by this name, here or where it is imported from. */
const literalOf = (node: ts.Node, source: ts.SourceFile): Written | undefined => {
  if (ts.isObjectLiteralExpression(node)) return { literal: node, source }
  if (ts.isIdentifier(node)) return constantOf(node.text, source)
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return literalOf(node.expression, source)
  return undefined
}

const constantOf = (name: string, source: ts.SourceFile): Written | undefined => {
  const within = (node: ts.Node): Written | undefined => {
    if (ts.isImportSpecifier(node) && node.name.text === name) return importedBy(node, source)
    const isIt = ts.isVariableDeclaration(node) && node.name.getText(source) === name
    return (isIt && node.initializer && literalOf(node.initializer, source)) || ts.forEachChild(node, within)
  }
  return within(source)
}

const importedBy = ({ parent, name, propertyName = name }: ts.ImportSpecifier, source: ts.SourceFile) => {
  const from = parent.parent.parent.moduleSpecifier
  if (!ts.isStringLiteral(from) || !from.text.startsWith('.')) return undefined
  return constantOf(propertyName.text, parsed(normalize(join(dirname(source.fileName), from.text))))
}
