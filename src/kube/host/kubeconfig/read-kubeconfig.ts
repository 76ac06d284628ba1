import { readFile } from 'node:fs/promises'
import { hasErrorCode, reasonOf, VplaneError } from '../../../shared/errors.ts'
import { parseSecretYaml } from '../../../shared/yaml/yaml.ts'
import { isRecord } from '../../../shared/json-fields.ts'
import { KubeconfigEntry } from './kubeconfig-entry.ts'

/** The merged content of several kubeconfig files. */
export interface Kubeconfig {
  /** The files that exist, in order. */
  files: string[]
  /** All of their texts, to detect changes. */
  text: string
  currentContext: string | undefined
  contexts: Map<string, KubeconfigEntry>
  clusters: Map<string, KubeconfigEntry>
  users: Map<string, KubeconfigEntry>
}

const LISTS = [
  ['contexts', 'context'],
  ['clusters', 'cluster'],
  ['users', 'user'],
] as const

/**
 * Reads a kubeconfig by kubectl's rules: it skips missing files, and takes the current context, and each entry of a
 * name, from the first file that has one.
 *
 * @throws {VplaneError} `FAILED` when a file cannot be read, `INVALID_SPEC` when it is not a kubeconfig.
 */
export async function readKubeconfig(files: readonly string[]): Promise<Kubeconfig> {
  const merged: Kubeconfig = {
    files: [],
    text: '',
    currentContext: undefined,
    contexts: new Map(),
    clusters: new Map(),
    users: new Map(),
  }
  const texts = await Promise.all(files.map(async (file) => [file, await readText(file)] as const))
  for (const [file, text] of texts) {
    if (text !== undefined) {
      merged.files.push(file)
      merged.text += text
      add(merged, new KubeconfigEntry('the kubeconfig', file, parse(text, file)))
    }
  }
  return merged
}

function add(merged: Kubeconfig, file: KubeconfigEntry): void {
  merged.currentContext ??= file.text('current-context')
  for (const [list, kind] of LISTS) {
    for (const item of file.entries(list)) {
      const name = item.text('name')
      if (name !== undefined && !merged[list].has(name)) {
        const fields = item.value(kind)
        merged[list].set(name, new KubeconfigEntry(`${kind} "${name}"`, file.file, fields))
      }
    }
  }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) {
      return undefined
    }
    throw new VplaneError('FAILED', `cannot read the kubeconfig "${file}": ${reasonOf(error)}`, {
      hints: [`ls -l ${file}`],
      cause: error,
    })
  }
}

function parse(text: string, file: string): unknown {
  const value = parseSecretYaml(text, `the kubeconfig "${file}"`) ?? {}
  if (!isRecord(value)) {
    throw new VplaneError('INVALID_SPEC', `"${file}" is not a kubeconfig`)
  }
  return value
}
