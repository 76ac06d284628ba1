import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { parseManifests } from '../control-plane/install/parse-manifests.ts'
import { selectCrds } from '../control-plane/install/select-crds.ts'
import { hasErrorCode, reasonOf, VplaneError } from '../shared/errors.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'
import { silentUi, type Ui } from '../shared/ui.ts'

const EXTENSIONS = ['.yaml', '.yml', '.json']

/**
 * Returns the Kubernetes objects in files and folders, in the order of the paths, and the items of lists one by one. It
 * reads folders recursively, files by name. In folders it skips documents that are not objects (a kustomization, values
 * of a chart) with a note; in a file that is named itself they are an error.
 * @throws {VplaneError} `USAGE` when a path does not exist or a folder has no manifests, `INVALID_SPEC` with file and
 * document when something is not YAML or not an object, `FAILED` when a file cannot be read.
 */
export async function readManifests(
  paths: readonly string[],
  ui: Ui = silentUi,
): Promise<KubeObject[]> {
  const objects: KubeObject[] = []
  const skipped = new Set<string>()
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
        skipped.add(file)
      }
      objects.push(...parsed.objects)
    }
  }
  if (skipped.size > 0) {
    ui.note(`skipped documents that are not Kubernetes objects in ${enumerate([...skipped])}`)
  }
  return objects
}

/**
 * Returns the custom resource definitions in files and folders as `selectCrds` does.
 * @throws {VplaneError} `USAGE` when there is none, and as `readManifests` does.
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

/** Lists the manifests in a folder, by name; undefined when the path is a file or a pipe. */
async function filesOf(path: string): Promise<string[] | undefined> {
  if (!(await reading(path, async () => (await stat(path)).isDirectory()))) {
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

/** Follows links: a mounted ConfigMap consists of them. */
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
    throw new VplaneError('FAILED', `cannot read "${path}": ${reasonOf(cause)}`, { cause })
  }
}
