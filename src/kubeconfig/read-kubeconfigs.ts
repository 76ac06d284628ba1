import { contextNamesIn, currentContextIn, parseKubeconfig } from './text/kubeconfig-text.ts'
import type { KubeconfigLocation } from './file/kubeconfig-location.ts'
import { type FoundContext, vplaneContextsIn } from './contexts/read-contexts.ts'
import { inFile, readText } from './file/read-text.ts'

/** What kubectl sees in all files together. */
export interface Kubeconfigs {
  currentContext?: string
  contextNames: string[]
  /** The contexts that vplane wrote; `isCurrent` speaks of all files together. */
  vplaneContexts: Array<FoundContext & { file: string }>
}

/**
 * Reads the kubeconfig by kubectl's rules: missing files are left out, the first file that names a current context
 * decides on it, and the first that has a context of a name.
 *
 * @throws {VplaneError} `FAILED` when a file cannot be read or is not a kubeconfig.
 */
export async function readKubeconfigs({ files }: KubeconfigLocation): Promise<Kubeconfigs> {
  const texts = await Promise.all(
    files.map(async (file) => ({ file, text: (await readText(file)) ?? '' })),
  )
  const found = texts.map(({ file, text }) => ({
    file,
    data: inFile(file, () => parseKubeconfig(text).data),
  }))
  const currentContext = found
    .map(({ data }) => currentContextIn(data))
    .find((name) => name !== undefined)
  const names = new Set<string>()
  const vplaneContexts = found.flatMap(({ data, file }) => {
    const contexts = vplaneContextsIn(data)
      .filter(({ name }) => !names.has(name))
      .map((context) => ({ ...context, file, isCurrent: context.name === currentContext }))
    for (const name of contextNamesIn(data)) {
      names.add(name)
    }
    return contexts
  })
  return {
    contextNames: [...names],
    vplaneContexts,
    ...(currentContext !== undefined && { currentContext }),
  }
}
