import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { hasErrorCode, messageOf, VplaneError } from '../../shared/errors.ts'
import type { Ui } from '../../shared/ui.ts'
import { silentUi } from '../../shared/ui.ts'
import { parseYamlDocuments } from '../../shared/yaml/yaml.ts'
import { isRecord } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

const EXTENSIONS = ['.yaml', '.yml', '.json']

/**
 * The Kubernetes objects of files and folders, in the order of the paths; lists are taken apart.
 *
 * Folders are read with all folders below, files by name. Documents in them that are no objects (a kustomization,
 * values of a chart) are left out with a note; in a file that was named itself they are an error.
 *
 * @throws {VplaneError} `USAGE` when a path does not exist or a folder has no manifests, `INVALID_SPEC` with file and
 * document when something is not YAML or no object, `FAILED` when a file cannot be read.
 */
export async function readManifests(
  paths: readonly string[],
  ui: Ui = silentUi,
): Promise<KubeObject[]> {
  const objects: KubeObject[] = []
  const leftOut = new Set<string>()
  for (const path of paths) {
    const files = await filesOf(path)
    for (const file of files ?? [path]) {
      for (const { source, value } of await readDocuments(file)) {
        const reason = reasonAgainst(value)
        if (reason === undefined) {
          objects.push(...takeApart(value, source))
        } else if (files === undefined) {
          throw noObject(source, reason)
        } else {
          leftOut.add(file)
        }
      }
    }
  }
  if (leftOut.size > 0) {
    ui.note(`left out what is no Kubernetes object in ${enumerate([...leftOut])}`)
  }
  return objects
}

function enumerate(files: string[]): string {
  const shown = files.slice(0, 3).join(', ')
  return files.length > 3 ? `${shown} and ${files.length - 3} more files` : shown
}

interface Document {
  /** File and number, as errors name it. */
  source: string
  value: unknown
}

/** The manifests in a folder, by name; undefined when the path is a file (or a pipe). */
async function filesOf(path: string): Promise<string[] | undefined> {
  const isFolder = await reading(path, async () => (await stat(path)).isDirectory())
  if (!isFolder) {
    return undefined
  }
  const files = await filesBelow(path)
  if (files.length === 0) {
    throw new VplaneError('USAGE', `no ${EXTENSIONS.join(', ')} file in the folder "${path}"`)
  }
  return files
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await reading(folder, () => readdir(folder, { withFileTypes: true }))
  const found: string[] = []
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.') || entry.name === 'node_modules') {
      continue
    }
    if (entry.isDirectory()) {
      found.push(...(await filesBelow(path)))
    } else if (EXTENSIONS.includes(extname(entry.name)) && (await isFile(path))) {
      found.push(path)
    }
  }
  return found
}

/** Links count as what they lead to: a mounted ConfigMap consists of them. */
async function isFile(path: string): Promise<boolean> {
  return reading(path, async () => (await stat(path)).isFile())
}

/** The documents of a file that are not empty. */
async function readDocuments(file: string): Promise<Document[]> {
  const text = await reading(file, () => readFile(file, 'utf8'))
  const values = parseYamlDocuments(text, `"${file}"`)
  const sourceOf = (index: number) =>
    values.length === 1 ? `"${file}"` : `"${file}", document ${index + 1}`
  return values
    .map((value, index) => ({ source: sourceOf(index), value }))
    .filter(({ value }) => value !== null && value !== undefined)
}

function takeApart(value: unknown, source: string): KubeObject[] {
  if (isList(value)) {
    return value.items.flatMap((item, index) => takeApart(item, `${source}, item ${index + 1}`))
  }
  if (isKubeObject(value)) {
    return [value]
  }
  throw noObject(source, reasonAgainst(value) ?? 'it cannot be read')
}

/** Why a document is no object of Kubernetes; undefined when it is one. */
function reasonAgainst(value: unknown): string | undefined {
  if (!isRecord(value)) {
    return 'it is no map'
  }
  const missing = ['apiVersion', 'kind'].find((field) => typeof value[field] !== 'string')
  if (missing !== undefined) {
    return `it has no ${missing}`
  }
  return isList(value) || isRecord(value['metadata']) ? undefined : 'it has no metadata'
}

function isKubeObject(value: unknown): value is KubeObject {
  return reasonAgainst(value) === undefined
}

function isList(value: unknown): value is { items: unknown[] } {
  return isRecord(value) && String(value['kind']).endsWith('List') && Array.isArray(value['items'])
}

function noObject(source: string, reason: string): VplaneError {
  return new VplaneError('INVALID_SPEC', `${source} is not a Kubernetes object: ${reason}`)
}

async function reading<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if (hasErrorCode(cause, 'ENOENT') || hasErrorCode(cause, 'ENOTDIR')) {
      throw new VplaneError('USAGE', `no file or folder "${path}"`, { cause })
    }
    throw new VplaneError('FAILED', `cannot read "${path}": ${messageOf(cause)}`, { cause })
  }
}
