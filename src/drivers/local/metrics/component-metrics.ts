import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MeasuredComponent } from '../../../control-plane/driver/plane-metrics.ts'
import { memberMetrics } from '../../../etcd/status/member-metrics.ts'
import { createKubeClient } from '../../../kube/client/client.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { localEtcd } from '../components/local-etcd.ts'
import { runningComponents } from '../components/running-components.ts'
import type { StartContext } from '../components/start-context.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

export interface ComponentMetricsOptions {
  record: PlaneRecord
  component: MeasuredComponent
  signal: AbortSignal
}

/**
 * What a process of a plane says of its own work, in the text format of Prometheus.
 *
 * @throws {VplaneError} `FAILED` when it does not run or refuses, `UNREACHABLE` when it does not answer.
 */
export async function componentMetrics(
  { store, table }: Pick<StartContext, 'store' | 'table'>,
  { component, record, signal }: ComponentMetricsOptions,
): Promise<string> {
  const { name, ports } = record
  const folder = store.folder(name)
  if (component === 'etcd') {
    return memberMetrics(await localEtcd(name, { folder, table }), signal)
  }
  // There is no other one here.
  if (component !== 'kube-controller-manager' || !runningComponents(folder, table).has(component)) {
    throw new VplaneError('FAILED', `${component} of "${name}" does not run`, {
      hints: [{ action: 'resume', plane: { name } }],
    })
  }
  const server = `https://127.0.0.1:${ports.controllerManager}`
  const certificateAuthority = await readFile(join(folder.pki, 'ca.crt'), 'utf8')
  await using client = createKubeClient({ server, certificateAuthority })
  const pieces = await Array.fromAsync(client.stream('/metrics', { signal }))
  return pieces.join('')
}
