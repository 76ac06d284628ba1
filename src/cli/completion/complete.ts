import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { knownKubernetesVersions } from '../../control-plane/spec/kubernetes-version.ts'
import { ALL_COMPONENT_NAMES } from '../../control-plane/plane/plane.ts'
import { type Environment, processEnvironment } from '../../shared/environment.ts'
import { recordsAt, textAt } from '../../shared/json-fields.ts'
import { pathsOf } from '../../shared/paths.ts'
import { loadCommands } from '../catalog/command-catalog.ts'
import { type CompletionSources, completionsFor } from './completions.ts'
import { readSpecSchema } from './spec-schema-file.ts'
import { SETTING_KEYS } from '../settings/setting-keys.ts'

/**
 * Prints what completes a command line, as kubectl's plugins do: a candidate per line, with a description after a tab,
 * and a last line `:<directive>`; no errors. `--word=WORD` in front is a last word that a shell cannot pass, such as an
 * empty one.
 */
export async function runComplete(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', () => {})
  try {
    const words = wordsOf(argv)
    const sources = completionSources(processEnvironment())
    const { candidates, directive } = completionsFor(words, await loadCommands(), sources)
    process.stdout.write([...candidates, `:${directive}`, ''].join('\n'))
  } catch {
    // A shell would show this in the middle of what is being typed.
    process.stdout.write(':4\n')
  }
}

function wordsOf(argv: readonly string[]): string[] {
  const [first = '', ...rest] = argv
  const current = first.startsWith('--word=') ? [first.slice('--word='.length)] : []
  const words = current.length === 0 ? argv : rest
  return [...(words[0] === '--' ? words.slice(1) : words), ...current]
}

/** What completes names and values: what was used from here, no host cluster is asked. What cannot be read is empty. */
export function completionSources(environment: Environment, home = homedir()): CompletionSources {
  const { data } = pathsOf(environment, home)
  const contexts = () => [...new Set(kubeconfigFiles(environment, home).flatMap(contextsIn))]
  const used = () => [...usedPlanes(join(data, 'credentials')), ...contexts().flatMap(planeBehind)]
  return {
    planes: () => unique([...planeNames(join(data, 'planes')), ...used().map(({ name }) => name)]),
    contexts: () => contexts().filter((name) => !name.startsWith('vplane_')),
    namespaces: () => unique(used().map(({ namespace }) => namespace)),
    versions: knownKubernetesVersions,
    components: () => ALL_COMPONENT_NAMES,
    settings: () => SETTING_KEYS,
    snapshots: () => snapshotIds(join(data, 'snapshots')),
    spec: readSpecSchema,
  }
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].sort()
}

function planeNames(folder: string): string[] {
  return filesIn(folder).filter((name) => existsSync(join(folder, name, 'plane.json')))
}

/** The ids of stored snapshots: each has a record of this name. */
function snapshotIds(folder: string): string[] {
  const pattern = /^(.+-\d{8}-\d{6}-[0-9a-f]{4})\.json$/
  return unique(filesIn(folder).flatMap((file) => pattern.exec(file)?.[1] ?? []))
}

/** Planes in host clusters that this user has used, by the names of the files with accesses to them. */
function usedPlanes(folder: string): UsedPlane[] {
  return filesIn(folder).flatMap((file) => planeIn(/^kubernetes_([^_]+)_([^_]+)_/.exec(file)))
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The plane in a host cluster that a context leads to, by its name. */
function planeBehind(context: string): UsedPlane[] {
  return planeIn(/^vplane_([^_]+)_([^_]+)_/.exec(context))
}

interface UsedPlane {
  name: string
  namespace: string
}

function planeIn(match: RegExpExecArray | null): UsedPlane[] {
  const [, name, namespace] = match ?? []
  return name === undefined || namespace === undefined ? [] : [{ name, namespace }]
}

function kubeconfigFiles(environment: Environment, home: string): string[] {
  const list = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '')
  return list.length === 0 ? [join(home, '.kube', 'config')] : list
}

function contextsIn(file: string): string[] {
  try {
    return contextNames(readFileSync(file, 'utf8'))
  } catch {
    return []
  }
}

/** The names of contexts, without a YAML reader, which takes too long; what is not understood is left out. */
export function contextNames(kubeconfig: string): string[] {
  return kubeconfig.trimStart().startsWith('{') ? namesInJson(kubeconfig) : namesInYaml(kubeconfig)
}

function namesInYaml(text: string): string[] {
  const [, block = ''] =
    /^contexts:[^\S\n]*(?:#.*)?\n((?:[ -].*\n|#.*\n|[^\S\n]*\n)*)/m.exec(`${text}\n`) ?? []
  const [, indent] = /^( *)- /m.exec(block) ?? []
  if (indent === undefined) {
    return []
  }
  // Deeper names are those of extensions inside an entry.
  const pattern = new RegExp(`^${indent}(?:- |  )name:[^\\S\\n]+(.*)$`, 'gm')
  return [...block.matchAll(pattern)]
    .map(([, scalar = '']) => unquote(scalar))
    .filter((name) => name !== '')
}

function unquote(scalar: string): string {
  const text = scalar.trim()
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(text)
  if (double !== null) {
    return (double[1] ?? '').replaceAll(/\\(["\\/])/g, '$1')
  }
  const single = /^'((?:[^']|'')*)'/.exec(text)
  return single === null ? text.replace(/\s+#.*$/, '') : (single[1] ?? '').replaceAll("''", "'")
}

function namesInJson(text: string): string[] {
  try {
    return recordsAt(JSON.parse(text), 'contexts').flatMap((entry) => textAt(entry, 'name') ?? [])
  } catch {
    return []
  }
}
