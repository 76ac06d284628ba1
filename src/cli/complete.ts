import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { knownKubernetesVersions } from '../control-plane/kubernetes-version.ts'
import { COMPONENT_NAMES } from '../control-plane/plane.ts'
import { type Environment, processEnvironment } from '../shared/environment.ts'
import { pathsOf } from '../shared/paths.ts'
import { loadCommands } from './command-catalog.ts'
import { type CompletionSources, completionsFor } from './completions.ts'
import { contextNames } from './context-names.ts'
import { SETTING_KEYS } from './settings.ts'

/**
 * Prints what completes a command line, in the protocol that kubectl uses with its plugins: a candidate per line, with
 * a description after a tab, and a last line `:<directive>`. Whatever goes wrong, it says nothing.
 *
 * `--word=WORD` in front stands for a last word that a shell cannot pass on its own, such as an empty one.
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

/** What completes names and values on this machine. Everything that cannot be read is as good as empty. */
export function completionSources(environment: Environment, home = homedir()): CompletionSources {
  return {
    planes: () => planeNames(join(pathsOf(environment, home).data, 'planes')),
    contexts: () => [...new Set(kubeconfigFiles(environment, home).flatMap(contextsIn))],
    versions: knownKubernetesVersions,
    components: () => COMPONENT_NAMES,
    settings: () => SETTING_KEYS,
  }
}

function planeNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => existsSync(join(folder, name, 'plane.json')))
      .sort()
  } catch {
    return []
  }
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
