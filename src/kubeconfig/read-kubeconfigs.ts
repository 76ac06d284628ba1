import { contextNamesIn, currentContextIn, parseOnce } from './text/kubeconfig-text.ts'
import type { KubeconfigLocation } from './file/kubeconfig-location.ts'
import { type FoundContext, findVplaneContexts } from './contexts/read-contexts.ts'
import { inFile, readText } from './file/read-text.ts'

/** What kubectl reads from all files together. */
export interface Kubeconfigs {
  currentContext?: string
  contextNames: string[]
  /** The contexts that vplane wrote; `isCurrent` refers to all files together. */
  vplaneContexts: Array<FoundContext & { file: string }>
}

/**
 * Reads the kubeconfig by kubectl's rules: it skips missing files, and takes the current context, and each context of a
 * name, from the first file that has one.
 * @throws {VplaneError} `FAILED` when a file cannot be read, `INVALID_SPEC` when it is not a kubeconfig.
 */
export async function readKubeconfigs({ files }: KubeconfigLocation): Promise<Kubeconfigs> {
  const texts = await Promise.all(
    files.map(async (file) => ({ file, text: (await readText(file)) ?? '' })),
  )
  const found = texts.map(({ file, text }) => ({
    file,
    data: inFile(file, () => parseOnce(text).data),
  }))
  const currentContext = found
    .map(({ data }) => currentContextIn(data))
    .find((name) => name !== undefined)
  const names = new Set<string>()
  const vplaneContexts = found.flatMap(({ data, file }) => {
    const contexts = findVplaneContexts(data)
      .filter(({ name }) => !names.has(name))
      .map((context) => ({ ...context, file, isCurrent: context.name === currentContext }))
    contextNamesIn(data).forEach((name) => names.add(name))
    return contexts
  })
  return {
    contextNames: [...names],
    vplaneContexts,
    ...(currentContext !== undefined && { currentContext }),
  }
}
