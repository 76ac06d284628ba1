import type { Finding } from '../../../control-plane/status/finding.ts'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from './host-api.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { recordsAt } from '../../../shared/json-fields.ts'

/** The part of the host's API that a Prometheus operator brings. */
const API = {
  group: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  resource: 'servicemonitors',
}

const MISSING = {
  message: `the host has no ${API.kind} (${API.group}), which "metrics.serviceMonitor" asks for: no Prometheus operator is there`,
  hint: [
    'install the CRDs of the Prometheus operator on the host',
    { purpose: 'or do without "metrics.serviceMonitor"', serviceMonitor: false },
  ],
} as const

interface Options {
  signal: AbortSignal
}

/** Whether the host knows ServiceMonitors, when some are to be made there. */
export async function monitorFindings(
  api: Pick<HostApi, 'get'>,
  objects: readonly KubeObject[],
  options: Options,
): Promise<Finding[]> {
  return (await lacksMonitors(api, objects, options))
    ? [{ subject: 'monitoring', level: 'problem', ...MISSING }]
    : []
}

/**
 * Refuses to make ServiceMonitors on a host that knows none.
 *
 * @throws {VplaneError} `FAILED` that says what is missing.
 */
export async function refuseWithoutMonitors(
  api: Pick<HostApi, 'get'>,
  objects: readonly KubeObject[],
  options: Options,
): Promise<void> {
  if (await lacksMonitors(api, objects, options)) {
    throw new VplaneError('FAILED', MISSING.message, { hints: MISSING.hint })
  }
}

async function lacksMonitors(
  api: Pick<HostApi, 'get'>,
  objects: readonly KubeObject[],
  { signal }: Options,
): Promise<boolean> {
  if (!objects.some(({ apiVersion, kind }) => apiVersion === API.group && kind === API.kind)) {
    return false
  }
  try {
    const kinds = await api.get(`/apis/${API.group}`, { signal })
    return !recordsAt(kinds, 'resources').some(({ name }) => name === API.resource)
  } catch (error) {
    // Who may not look does not know.
    if (httpStatusOf(error) === 403) {
      return false
    }
    throw error
  }
}
