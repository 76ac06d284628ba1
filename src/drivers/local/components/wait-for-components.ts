import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { ComponentName } from '../../../control-plane/plane/plane.ts'
import { createKubeClient } from '../../../kube/client/client.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import type { PlaneStore } from '../store/plane-store.ts'
import { isListening } from '../../../shared/network/ports.ts'
import { checkRunning } from './check-running.ts'
import { hasEtcdData, serverOf } from './local-layout.ts'

const TIMEOUT_MS = 300_000

/** What kube-controller-manager depends on. */
const NEEDED: readonly ComponentName[] = ['etcd', 'kube-apiserver']

interface WaitContext {
  store: PlaneStore
  table: ProcessTable
}

/**
 * Returns when a plane's etcd listens; fails as soon as it ends.
 *
 * @throws {VplaneError} `COMPONENT_FAILED`, `TIMED_OUT`, `ABORTED`.
 */
export async function waitForEtcd(
  { store, table }: WaitContext,
  { name, ports }: PlaneRecord,
  { signal, timeoutMs = TIMEOUT_MS }: Operation,
): Promise<void> {
  const folder = store.folder(name)
  await waitFor(
    async () => {
      await checkRunning({ name, folder, table }, ['etcd'])
      return isListening(ports.etcdClient)
    },
    { what: `etcd of "${name}"`, timeoutMs, intervalMs: 10, signal },
  )
}

/**
 * Returns when a plane's etcd has data, which it makes only after it listens; fails as soon as it ends.
 *
 * @throws {VplaneError} `COMPONENT_FAILED`, `TIMED_OUT`, `ABORTED`.
 */
export async function waitForEtcdData(
  { store, table }: WaitContext,
  { name }: PlaneRecord,
  { signal, timeoutMs = TIMEOUT_MS }: Operation,
): Promise<void> {
  const folder = store.folder(name)
  await waitFor(
    async () => {
      await checkRunning({ name, folder, table }, ['etcd'])
      return hasEtcdData(folder)
    },
    { what: `the data of etcd of "${name}"`, timeoutMs, intervalMs: 10, signal },
  )
}

/**
 * Returns when a plane's API server serves; fails as soon as it or its etcd ends.
 *
 * @throws {VplaneError} `COMPONENT_FAILED`, `TIMED_OUT`, `ABORTED`.
 */
export async function waitForApiServer(
  { store, table }: WaitContext,
  record: PlaneRecord,
  { signal, timeoutMs = TIMEOUT_MS }: Operation,
): Promise<void> {
  const folder = store.folder(record.name)
  const certificateAuthority = await readFile(join(folder.pki, 'ca.crt'), 'utf8')
  await using client = createKubeClient({ server: serverOf(record.ports), certificateAuthority })
  await waitFor(
    async (deadline) => {
      await checkRunning({ name: record.name, folder, table }, NEEDED)
      // A refused connection costs next to nothing while the processor is busy starting; a TLS handshake does not.
      return (
        (await isListening(record.ports.apiServer)) &&
        (await client.text('/healthz', { signal: deadline }).catch(() => undefined))?.status === 200
      )
    },
    { what: `the API server of "${record.name}"`, timeoutMs, intervalMs: 20, signal },
  )
}
