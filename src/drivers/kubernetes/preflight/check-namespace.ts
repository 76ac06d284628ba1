import type { Finding } from '../../../control-plane/status/finding.ts'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import type { HostApi } from '../host/host-api.ts'
import type { CommandPlace } from '../context/kubectl-hint.ts'
import { mayDo } from './rights/allowed-rights.ts'
import { missingNamespaceFinding, namespaceFindings } from './namespace-findings.ts'
import { namespaceRightFinding } from './rights/rights-finding.ts'

interface Options extends CommandPlace {
  /** Whether the namespace may be made when it is missing. */
  createNamespace: boolean
  signal: AbortSignal
}

/** Whether the host namespace is there to stay, or can be made. */
export async function checkNamespace(
  api: Pick<HostApi, 'create' | 'get'>,
  options: Options,
): Promise<Finding[]> {
  const { createNamespace, namespace, signal } = options
  try {
    const found = await api.get(`/api/v1/namespaces/${namespace}`, { signal })
    if (found !== undefined) {
      return namespaceFindings(found, options)
    }
  } catch (error) {
    if (httpStatusOf(error) !== 403) {
      throw error
    }
    return [{ subject: 'namespace', level: 'ok', message: `you may not see "${namespace}"` }]
  }
  if (!createNamespace) {
    return [missingNamespaceFinding(options)]
  }
  const creating = { verb: 'create', group: '', resource: 'namespaces' }
  return [namespaceRightFinding(await mayDo(api, creating, { signal }), options)]
}
