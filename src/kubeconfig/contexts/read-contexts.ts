import { VplaneError } from '../../shared/errors.ts'
import { parseExtension } from './context-extension.ts'
import type { ContextExtension } from './extension-value.ts'
import {
  currentContextIn,
  entriesIn,
  type Fields,
  fieldsIn,
  parseKubeconfig,
} from '../text/kubeconfig-text.ts'

/** A context that vplane wrote. */
export interface VplaneContext {
  name: string
  isCurrent: boolean
  server?: string
  /** The client certificate of its user, PEM, where the kubeconfig itself holds one. */
  clientCertificate?: string
  extension: ContextExtension
}

/** A context that vplane wrote and this vplane cannot read; it is still no host. */
export interface UnreadableContext {
  name: string
  isCurrent: boolean
  error: VplaneError
}

export type FoundContext = VplaneContext | UnreadableContext

/**
 * The contexts that vplane wrote, in the order of the text. One that cannot be read does not hide the others.
 *
 * @throws {VplaneError} `FAILED` when the text is not a kubeconfig.
 */
export function findVplaneContexts(kubeconfig: string): FoundContext[] {
  return vplaneContextsIn(parseKubeconfig(kubeconfig).data)
}

/** `findVplaneContexts` of what was parsed before. */
export function vplaneContextsIn(data: Fields): FoundContext[] {
  const current = currentContextIn(data)
  return entriesIn(data, 'contexts').flatMap(({ name, context }) => {
    const record = typeof name === 'string' ? recordOf(data, { name, context }) : undefined
    return typeof name === 'string' && record !== undefined
      ? [{ name, isCurrent: name === current, ...record }]
      : []
  })
}

function recordOf(
  data: Fields,
  { name, context }: { name: string; context: unknown },
): Omit<VplaneContext, 'name' | 'isCurrent'> | { error: VplaneError } | undefined {
  try {
    const extension = parseExtension(name, context)
    const { cluster, user } = fieldsIn(context)
    const server = serverOf(data, cluster)
    const clientCertificate = clientCertificateOf(data, user)
    return (
      extension && {
        extension,
        ...(server !== undefined && { server }),
        ...(clientCertificate !== undefined && { clientCertificate }),
      }
    )
  } catch (error) {
    if (error instanceof VplaneError) {
      return { error }
    }
    throw error
  }
}

function serverOf(data: Fields, cluster: unknown): string | undefined {
  const entry = typeof cluster === 'string' ? entryOf(data, 'clusters', cluster) : undefined
  const server = fieldsIn(entry?.['cluster'])['server']
  return typeof server === 'string' ? server : undefined
}

function clientCertificateOf(data: Fields, user: unknown): string | undefined {
  const entry = typeof user === 'string' ? entryOf(data, 'users', user) : undefined
  const encoded = fieldsIn(entry?.['user'])['client-certificate-data']
  return typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString('utf8') : undefined
}

function entryOf(data: Fields, list: string, name: string): Fields | undefined {
  return entriesIn(data, list).find((entry) => entry['name'] === name)
}
