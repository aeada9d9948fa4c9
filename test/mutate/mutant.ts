import ts from 'typescript'

/** A source file with one small fault in it: what stands from `start` to `end` is `text` instead. */
export type Mutant = {
  /** From the root of the tree on. */
  readonly file: string
  readonly start: number
  readonly end: number
  readonly text: string
  /** Both count from 1. */
  readonly line: number
  readonly column: number
  /** What stood there and what stands there now, in one line. */
  readonly change: string
}

/** A change of a source, before it is known where it lies. */
export type Change = Pick<Mutant, 'start' | 'end' | 'text'>

/** What operators look at: a file, and what the compiler knows of its types. */
export type Context = { readonly source: ts.SourceFile; readonly checker: ts.TypeChecker }

/** The changes that one kind of fault makes of a node. */
export type Operator = (node: ts.Node, context: Context) => readonly Change[]

const SHOWN_MAX = 70

/** Puts `text` in the place of a node. */
export const replaced = (node: ts.Node, { source }: Context, text: string): Change => ({
  start: node.getStart(source),
  end: node.end,
  text,
})

/** The text of a file with the fault in it. */
export const mutatedText = (text: string, { start, end, text: other }: Change): string =>
  text.slice(0, start) + other + text.slice(end)

/** The change with its place and in words. */
export const locatedMutant = (file: string, source: ts.SourceFile, change: Change): Mutant => {
  const { line, character } = source.getLineAndCharacterOfPosition(change.start)
  const before = shortened(source.text.slice(change.start, change.end))
  const after = change.text === '' ? 'nothing' : shortened(change.text)
  return { file, ...change, line: line + 1, column: character + 1, change: `${before} → ${after}` }
}

/** Whether the compiler can read it: a fault that is no program says nothing of the tests. */
export const isProgram = (text: string, change: Change): boolean => {
  const { diagnostics } = ts.transpileModule(mutatedText(text, change), {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext },
  })
  return diagnostics?.length === 0
}

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}…` : line
}
