import { VplaneError } from '../../shared/errors.ts'
import { type ContextExtension, parseExtension } from './context-extension.ts'
import { currentContextIn, entriesIn, entryIn, parseKubeconfig } from '../text/kubeconfig-text.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { type Json, recordAt, textAt } from '../../shared/json-fields.ts'

export interface VplaneContext {
  name: string
  isCurrent: boolean
  server?: string
  /** The CAs of its cluster, PEM, if the kubeconfig itself contains them. */
  certificateAuthority?: string
  /** The client certificate of its user, PEM, if the kubeconfig itself contains it. */
  clientCertificate?: string
  extension: ContextExtension
}

/** A context that vplane wrote and that this vplane cannot read. It cannot be a host context either. */
export interface UnreadableContext {
  name: string
  isCurrent: boolean
  error: VplaneError
}

export type FoundContext = VplaneContext | UnreadableContext

/**
 * The contexts that vplane wrote, in the order of the text, also those that cannot be read.
 * @throws {VplaneError} `INVALID_SPEC` when the text is not a kubeconfig.
 */
export function findVplaneContexts(kubeconfig: string | Json): FoundContext[] {
  const data = typeof kubeconfig === 'string' ? parseKubeconfig(kubeconfig).data : kubeconfig
  const current = currentContextIn(data)
  return entriesIn(data, 'contexts').flatMap(({ name, context }) => {
    const record = typeof name === 'string' ? recordOf(data, { name, context }) : undefined
    return typeof name === 'string' && record !== undefined
      ? [{ name, isCurrent: name === current, ...record }]
      : []
  })
}

function recordOf(data: Json, { name, context }: { name: string; context: unknown }) {
  try {
    const extension = parseExtension(name, context)
    const { cluster, user } = recordAt(context) ?? {}
    const found = entryIn(data, 'clusters', cluster)
    const server = textAt(found, 'cluster', 'server')
    const certificateAuthority = decoded(found, 'cluster', 'certificate-authority-data')
    const clientCertificate = decoded(
      entryIn(data, 'users', user),
      'user',
      'client-certificate-data',
    )
    return (
      extension && {
        extension,
        ...omitUndefined({ server, certificateAuthority, clientCertificate }),
      }
    )
  } catch (error) {
    if (error instanceof VplaneError) {
      return { error }
    }
    throw error
  }
}

function decoded(entry: Json | undefined, ...path: string[]): string | undefined {
  const encoded = textAt(entry, ...path)
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8')
}
