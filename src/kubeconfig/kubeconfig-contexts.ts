import { X509Certificate } from 'node:crypto'
import { isSamePlane, type PlaneReference, referenceOf } from '../control-plane/plane/plane.ts'
import type { ContextCertificate, Contexts } from '../control-plane/use-cases/access/contexts.ts'
import { VplaneError } from '../shared/errors.ts'
import { shareCertificate } from '../shared/text/share-certificate.ts'
import { contextNameOf } from './contexts/context-entry.ts'
import { editKubeconfigFile } from './file/edit-kubeconfig.ts'
import type { ContextExtension } from './contexts/context-extension.ts'
import { fileToEdit, type KubeconfigLocation } from './file/kubeconfig-location.ts'
import { currentContextIn, parseKubeconfig, parseOnce } from './text/kubeconfig-text.ts'
import { type MovedCluster, moveContext } from './contexts/move-context.ts'
import type { FoundContext } from './contexts/read-contexts.ts'
import { type Kubeconfigs, readKubeconfigs } from './read-kubeconfigs.ts'
import { inFile, readText } from './file/read-text.ts'
import { removeContext } from './contexts/remove-context.ts'
import { renderKubeconfig } from './contexts/entry-items.ts'
import { setContext } from './contexts/set-context.ts'
import { NEW_FILE } from './text/undo.ts'
import { type EntryOptions, toEntry } from './contexts/to-entry.ts'

export interface KubeconfigContextsOptions extends EntryOptions {
  location: KubeconfigLocation
}

/** Reads and writes the contexts in the user's kubeconfig, which kubectl and other programs change as well. */
export function kubeconfigContexts(options: KubeconfigContextsOptions): Contexts {
  const { location } = options
  return {
    add: async (context, signal) => {
      const { makeCurrent = true } = context
      const entry = toEntry(context, options)
      const file = await fileToEdit(location)
      const otherFiles = location.files.filter((path) => path !== file)
      const others = await readKubeconfigs({ files: otherFiles })
      let previousContext: string | undefined
      const edit = (text: string, isNewFile: boolean) => {
        const document = parseKubeconfig(text)
        const current = currentContextIn(document.data) ?? others.currentContext
        previousContext = current === entry.name ? undefined : current
        const { contextNames: knownContexts } = others
        return setContext(document, entry, { knownContexts, makeCurrent, isNewFile })
      }
      await editKubeconfigFile(file, edit, { signal })
      return {
        context: entry.name,
        file,
        ...(previousContext !== undefined && makeCurrent && { previousContext }),
      }
    },
    move: async (plane, { certificateAuthority, server }, signal) =>
      moveAll(location, plane, { server, certificateAuthorityData: certificateAuthority, signal }),
    trust: async (plane, certificateAuthority, signal) =>
      moveAll(location, plane, { certificateAuthorityData: certificateAuthority, signal }),
    remove: async (plane, signal) => {
      const before = await readKubeconfigs(location)
      const found = before.vplaneContexts.find(
        (context) => leadsTo(context, plane) && mayTrust(context, plane.certificateAuthority),
      )
      if (found === undefined) {
        return undefined
      }
      await removeEverywhere(location, { found, before, signal })
      const { currentContext } = await readKubeconfigs(location)
      return {
        context: found.name,
        file: found.file,
        ...(currentContext !== undefined && { currentContext }),
      }
    },
    planes: async () => {
      const { vplaneContexts } = await readKubeconfigs(location)
      return vplaneContexts.flatMap((context) =>
        'extension' in context ? [planeOf(context.extension)] : [],
      )
    },
    certificates: async () => {
      const { vplaneContexts } = await readKubeconfigs(location)
      return vplaneContexts.flatMap(certificateOf)
    },
    currentPlane: async () => {
      const current = currentRecord(await readKubeconfigs(location))
      return current && planeOf(current)
    },
    hostContext: async (wanted) => {
      const kubeconfigs = await readKubeconfigs(location)
      const { contextNames, currentContext, vplaneContexts } = kubeconfigs
      if (wanted !== undefined) {
        refuseOwn(wanted, vplaneContexts)
        return wanted
      }
      const current = currentRecord(kubeconfigs)
      const host = current === undefined ? currentContext : current.hostContext
      return host !== undefined && contextNames.includes(host) ? host : undefined
    },
    hostBehind: async () => hostBehind(await readKubeconfigs(location)),
    render: (context) => renderKubeconfig(toEntry(context, options)),
    writePlugin: async () => {},
  }
}

/** Changes the clusters of a plane's contexts, and returns whether anything changed. */
async function moveAll(
  location: KubeconfigLocation,
  plane: PlaneReference,
  { signal, ...cluster }: Omit<MovedCluster, 'name'> & { signal: AbortSignal },
): Promise<boolean> {
  const { vplaneContexts } = await readKubeconfigs(location)
  let isChanged = false
  for (const { file, name } of vplaneContexts.filter((found) => leadsTo(found, plane))) {
    await editKubeconfigFile(
      file,
      (text) => {
        const moved = moveContext(text, { name, ...cluster })
        isChanged ||= moved !== text
        return moved
      },
      { signal },
    )
  }
  return isChanged
}

async function removeEverywhere(
  { files }: KubeconfigLocation,
  context: { found: FoundContext & { file: string }; before: Kubeconfigs; signal: AbortSignal },
): Promise<void> {
  const { before, found, signal } = context
  const record = 'extension' in found ? found.extension : undefined
  for (const file of files) {
    const isOwnFile = file === found.file && record?.undo.added.includes(NEW_FILE) === true
    const removeFrom = (text: string) => {
      const left = removeContext(text, found.name, {
        knownContexts: before.contextNames,
        previousContext: record?.previousContext,
      })
      return isOwnFile && isEmptyConfig(left) ? undefined : left
    }
    const text = (await readText(file)) ?? ''
    // A file without an entry to remove may belong to another user: vplane does not even lock it.
    if (files.length === 1 || inFile(file, () => removeFrom(text)) !== text) {
      await editKubeconfigFile(file, removeFrom, { signal })
    }
  }
}

/** Whether only keys without a value remain, which kubectl adds when it rewrites a file, and no comment. */
function isEmptyConfig(text: string): boolean {
  const { apiVersion: _, kind: __, ...fields } = parseOnce(text).data
  const isEmpty = (value: unknown) => ['null', '""', '[]', '{}'].includes(JSON.stringify(value))
  return !text.includes('#') && Object.values(fields).every((value) => isEmpty(value))
}

/** Whether a context leads to a plane. A context with a damaged record is recognized by its name alone. */
function leadsTo(context: FoundContext, plane: PlaneReference): boolean {
  if ('error' in context) {
    return context.error.code === 'FAILED' && context.name === contextNameOf(plane)
  }
  return isSamePlane(planeOf(context.extension), plane)
}

/** Whether a context trusts one of these CAs, or either are not known. */
function mayTrust(context: FoundContext, authority: string | undefined): boolean {
  const trusted = 'error' in context ? undefined : context.certificateAuthority
  return trusted === undefined || authority === undefined || shareCertificate(trusted, authority)
}

/** Finds the host context that was current before vplane's contexts, if it still exists. */
function hostBehind({ contextNames, currentContext, vplaneContexts }: Kubeconfigs) {
  let name = currentContext
  for (const _ of vplaneContexts) {
    const own = vplaneContexts.find((context) => context.name === name)
    if (own === undefined) {
      break
    }
    const record = 'extension' in own ? own.extension : undefined
    name = record?.hostContext ?? record?.previousContext
  }
  const isOwn = vplaneContexts.some((context) => context.name === name)
  return name !== undefined && !isOwn && contextNames.includes(name) ? name : undefined
}

/** Refuses a context of vplane as host: a host needs nodes to run pods, and a plane has none. */
function refuseOwn(wanted: string, own: readonly FoundContext[]): void {
  if (own.some(({ name }) => name === wanted)) {
    const message = `the context "${wanted}" points at a control plane of vplane, which cannot be a host cluster`
    throw new VplaneError('USAGE', message, { hints: ['kubectl config get-contexts'] })
  }
}

function currentRecord({ vplaneContexts }: Kubeconfigs): ContextExtension | undefined {
  const current = vplaneContexts.find(({ isCurrent }) => isCurrent)
  if (current !== undefined && 'error' in current) {
    throw current.error
  }
  return current?.extension
}

/** The client certificate of a context; a damaged certificate is left out. */
function certificateOf(context: FoundContext): ContextCertificate[] {
  if ('error' in context || context.clientCertificate === undefined) {
    return []
  }
  try {
    const { validToDate } = new X509Certificate(context.clientCertificate)
    return [{ context: context.name, plane: planeOf(context.extension), expiresAt: validToDate }]
  } catch {
    return []
  }
}

function planeOf(extension: ContextExtension): PlaneReference {
  return referenceOf({ ...extension, name: extension.plane })
}
