import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { parseManifests } from '../control-plane/install/parse-manifests.ts'
import { selectCrds } from '../control-plane/install/select-crds.ts'
import { hasErrorCode, messageOf, VplaneError } from '../shared/errors.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'
import { silentUi, type Ui } from '../shared/ui.ts'

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
      const text = await reading(file, () => readFile(file, 'utf8'))
      const parsed = parseManifests(text, file)
      const [other] = parsed.others
      if (other !== undefined && files === undefined) {
        throw other
      }
      if (other !== undefined) {
        leftOut.add(file)
      }
      objects.push(...parsed.objects)
    }
  }
  if (leftOut.size > 0) {
    ui.note(`left out what is no Kubernetes object in ${enumerate([...leftOut])}`)
  }
  return objects
}

/**
 * The custom resource definitions in files and folders, for `installCrds`. What is no definition is left out with a
 * note, what cannot work in a plane without nodes is warned of: all of that before a plane is touched.
 *
 * @throws {VplaneError} as `readManifests` does, and `USAGE` when there is no definition.
 */
export async function readCrds(paths: readonly string[], ui: Ui): Promise<KubeObject[]> {
  const definitions = selectCrds(await readManifests(paths, ui), ui)
  if (definitions.length === 0 && paths.length > 0) {
    throw new VplaneError('USAGE', `no custom resource definition in ${paths.join(', ')}`)
  }
  return definitions
}

function enumerate(files: string[]): string {
  const shown = files.slice(0, 3).join(', ')
  return files.length > 3 ? `${shown} and ${files.length - 3} more files` : shown
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
