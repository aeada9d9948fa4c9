import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from '../support/source-files.ts'

/** Objects of Kubernetes, held to its own types: a name that does not exist is a fault as well. */

export type KubernetesObject = { readonly apiVersion: string; readonly kind: string }

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
}

/** `apps/v1` is the module of that name; `v1` is that of the core; groups of the network have a host in their name. */
const moduleOf = (apiVersion: string): string => {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
  return `kubernetes-types/${group?.replace(/\.k8s\.io$/, '')}/${version}.js`
}

/** What does not fit the types, in the words of the compiler. */
export const kubernetesFaults = (objects: readonly KubernetesObject[]): readonly string[] => {
  const file = join(ROOT, 'test/deploy/objects.ts')
  const text = objects
    .map((object, n) => {
      const type = `import(${JSON.stringify(moduleOf(object.apiVersion))}).${object.kind}`
      return `export const object${n}: ${type} = ${JSON.stringify(object)}`
    })
    .join('\n')
  const host = ts.createCompilerHost(OPTIONS)
  const { getSourceFile, fileExists, readFile } = host
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest)
  host.fileExists = (name) => name === file || fileExists(name)
  host.readFile = (name) => (name === file ? text : readFile(name))
  const program = ts.createProgram([file], OPTIONS, host)
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}
