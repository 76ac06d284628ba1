import { randomUUID } from 'node:crypto'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import { resolve } from 'node:path'
import type { CreateRequest } from '../../../control-plane/driver/requests.ts'
import { NO_FORMER } from '../../../control-plane/plane/recorded-plane.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { choosePorts, takenPorts } from '../store/choose-ports.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { thisMachine } from '../../../shared/processes/process-namespace.ts'
import type { StartContext } from '../components/start-context.ts'

/**
 * Only stores the record; the caller holds the lock. A plane that is created paused needs no binaries yet.
 * @throws {VplaneError} `FAILED` without binaries, ports or disk space.
 */
export async function addPlane(
  { findBinaries, now, others, store, table }: StartContext,
  request: CreateRequest,
  operation: Operation,
): Promise<PlaneRecord> {
  // Absolute, since later starts may have another working folder.
  const binDir = request.binDir === undefined ? {} : { binDir: resolve(request.binDir) }
  const isNew = request.awaitsRestore === undefined
  // A plane that ends with its owner is never restored.
  const isLasting = request.ownerProcessId === undefined
  if (request.isPaused !== true) {
    await findBinaries({ spec: request.spec, ...binDir, isNew, isLasting }, operation)
  }
  const ownerStart =
    request.ownerProcessId === undefined ? undefined : table.startTimeOf(request.ownerProcessId)
  await using _ports = await store.lockPorts(operation.signal)
  return await store.add({
    formatVersion: 1,
    writtenBy: '',
    id: randomUUID(),
    name: request.name,
    createdAt: now().toISOString(),
    ...stateOf(request),
    hasData: false,
    isBootstrapped: false,
    userSpec: request.userSpec,
    spec: request.spec,
    ...omitUndefined({ declaredBy: request.declaredBy }),
    ports: await choosePorts(await takenPorts({ store, others })),
    bootId: table.bootId(),
    machine: thisMachine(),
    ...binDir,
    ...(request.ownerProcessId === undefined || ownerStart === undefined
      ? {}
      : { owner: { processId: request.ownerProcessId, startTime: ownerStart } }),
  })
}

function stateOf({
  awaitsRestore,
  isPaused = false,
}: CreateRequest): Pick<PlaneRecord, 'desired' | 'neverStarted' | 'restoring'> {
  if (awaitsRestore === undefined) {
    return isPaused ? { desired: 'paused', neverStarted: true } : { desired: 'running' }
  }
  const { movingFrom } = awaitsRestore
  const from = movingFrom === undefined ? {} : { movingFrom }
  return { desired: 'paused', restoring: { former: NO_FORMER, keepFormer: false, ...from } }
}
