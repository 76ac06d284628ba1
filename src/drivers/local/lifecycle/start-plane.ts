import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describeComponents } from '../../../control-plane/components/describe-components.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { ServingName } from '../../../control-plane/plane/plane.ts'
import { canStore, ownStoreOf, storeOf } from '../../../control-plane/store/store.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { isListening } from '../../../shared/network/ports.ts'
import { trimLogs } from '../logs/trim-log.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import { launchProcess } from '../../../shared/processes/launch/launch-process.ts'
import {
  removeProcessRecord,
  writeProcessRecord,
} from '../../../shared/processes/launch/process-record.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { componentChecksum } from '../components/component-checksum.ts'
import { componentEnvironment } from '../components/component-environment.ts'
import { ensureKeeperFor } from './maintain-plane.ts'
import { dataFolderOf, hasStoredData, localLayout } from '../components/local-layout.ts'
import { freePorts, movePorts } from './move-ports.ts'
import { databaseEnvironment, prepareDatabase } from './plane-database.ts'
import { prepareSharedEtcd } from './plane-shared-etcd.ts'
import { renewCertificates } from '../certificates/renew-certificates.ts'
import {
  findPlaneProcesses,
  isComplete,
  runningComponents,
} from '../components/running-components.ts'
import type { StartContext, StartOptions } from '../components/start-context.ts'
import { endYoungControllerManager } from '../components/stop-components.ts'
import {
  type ComponentsCondition,
  waitForApiServer,
  waitForComponents,
} from '../components/wait-for-components.ts'
import {
  removeData,
  writeConfiguration,
  writeEtcdPki,
  writePlanePki,
} from '../components/write-plane-files.ts'

/** How often a start may choose other ports because other programs take them. */
const MAX_PORT_MOVES = 3

/**
 * Starts the components of a plane that do not run. An interrupted create starts from the beginning. The caller holds
 * the plane's lock. Returns the stored record, with other ports if another program took one.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when a component ends, `FAILED` when the plane's data is missing.
 */
export async function startPlane(
  context: StartContext,
  record: PlaneRecord,
  options: StartOptions,
): Promise<PlaneRecord> {
  let current = record
  for (let moves = 0; ; moves += 1) {
    try {
      const started = await startMissing(context, current, options)
      await ensureKeeperFor(context, started, options.operation.ui)
      return started
    } catch (error) {
      const canMove = moves < MAX_PORT_MOVES
      const moved = canMove ? await movePorts(context, current, { error, ...options }) : undefined
      if (moved === undefined) {
        throw error
      }
      current = moved
    }
  }
}

async function startMissing(
  context: StartContext,
  record: PlaneRecord,
  { only, operation, wait }: StartOptions,
): Promise<PlaneRecord> {
  const folder = context.store.folder(record.name)
  await trimLogs(folder)
  const running = runningComponents(folder, context.table)
  if (record.isBootstrapped && isComplete(running, folder)) {
    return record
  }
  refuseLostData(record, folder)
  const binaries = await context.findBinaries(record, operation)
  await operation.begin?.('starting the components')
  await endStrays(context, record, operation)
  await removeUnfinishedData(context, record)
  const launch = launcher(context, record, binaries)

  const ofStore = ownStoreOf(record.spec)
  const { component, title } = storeOf(record.spec)
  const started = only === undefined ? `Kubernetes ${record.spec.version}` : component
  operation.ui.step(`Starting ${started}`)
  if (record.isBootstrapped) {
    await renewCertificates(folder, { now: context.now() })
  } else {
    await writeEtcdPki(record, folder, context.now())
  }
  await writeConfiguration(record, folder)
  if (!running.has(ofStore ?? 'kube-apiserver')) {
    await prepareDatabase(record, folder, operation.ui)
    await prepareSharedEtcd(record, folder, { ...operation, now: context.now() })
  }
  if (ofStore !== undefined) {
    await launch(ofStore)
  }
  let current = record
  if (!record.isBootstrapped) {
    await writePlanePki(record, folder, { now: context.now() })
    current = await context.store.update({ ...record, isBootstrapped: true })
  }
  // kube-apiserver dials its store once and then backs off for a second or more: so that listens first.
  const waitForStore = (what: string, isMet: ComponentsCondition['isMet']) => {
    const components = ofStore === undefined ? [] : [ofStore]
    const ofIt = { components, intervalMs: 10, operation }
    return waitForComponents(context, record.name, { what, isMet, ...ofIt })
  }
  if (ofStore !== undefined) {
    await waitForStore(ofStore, () => isListening(record.ports.etcdClient))
  }
  if (only === 'store') {
    return current
  }
  if (!running.has('kube-apiserver')) {
    await endYoungControllerManager(context, record.name, operation)
  }
  await launch('kube-apiserver')
  if (!current.hasData) {
    await waitForStore(`the data of ${title}`, () => hasStoredData(record, folder))
    current = await context.store.update({ ...current, hasData: true })
  }
  if (wait) {
    await waitForApiServer(context, record, operation)
  }
  await launch('kube-controller-manager')
  return current
}

/** Neither an empty volume may become an empty plane, nor may an existing plane get new keys. */
function refuseLostData(record: PlaneRecord, folder: PlaneFolder): void {
  const plane = { name: record.name }
  const hints = [
    'restore the folder from a backup',
    { purpose: 'or delete the plane', action: 'delete', plane } as const,
  ]
  if (record.hasData && !hasStoredData(record, folder)) {
    const place = dataFolderOf(record, folder)
    const message = `the data of "${record.name}" is missing: ${place} is empty`
    const purpose = 'to show what it can be restored from'
    const repair = { purpose, action: 'repair', plane } as const
    throw new VplaneError('FAILED', message, {
      hints: [...(canStore(record.spec, 'restores') ? [repair] : []), ...hints],
    })
  }
  if (record.isBootstrapped && !existsSync(join(folder.pki, 'ca.key'))) {
    const message = `the keys of "${record.name}" are missing: ${folder.pki} is not complete`
    throw new VplaneError('FAILED', message, { hints })
  }
}

/** Ends processes without a record, and all processes of a plane that was never complete. */
async function endStrays(
  context: StartContext,
  record: PlaneRecord,
  { signal }: Operation,
): Promise<void> {
  const folder = context.store.folder(record.name)
  const wanted = record.isBootstrapped
    ? [...runningComponents(folder, context.table).values()].map(({ processId }) => processId)
    : []
  const strays = findPlaneProcesses(folder, context.table).filter(
    ({ processId }) => !wanted.includes(processId),
  )
  await endProcesses(strays, { table: context.table, signal, graceMs: 0 })
}

/** A store that was killed, or ran out of disk, before it had data cannot start from its files. */
async function removeUnfinishedData(
  { store, table }: StartContext,
  record: PlaneRecord,
): Promise<void> {
  const folder = store.folder(record.name)
  const ofStore = ownStoreOf(record.spec)
  const isRunning = ofStore !== undefined && runningComponents(folder, table).has(ofStore)
  if (!record.hasData && !hasStoredData(record, folder) && !isRunning) {
    await removeData(folder)
  }
}

/** Returns a function that starts and records one component unless it runs. */
function launcher(
  context: StartContext,
  record: PlaneRecord,
  binaries: Partial<Record<ServingName, string>>,
) {
  const folder = context.store.folder(record.name)
  return async (name: ServingName): Promise<void> => {
    if (runningComponents(folder, context.table).has(name)) {
      return
    }
    const component = describeComponents(record.spec, localLayout(record, folder)).find(
      (candidate) => candidate.name === name,
    )
    await removeProcessRecord(folder.processOf(name))
    const command = {
      name,
      binary: binaries[name] ?? name,
      args: component?.args ?? [],
      env: componentEnvironment(context.environment, {
        ...component?.env,
        ...(name === 'kine' ? await databaseEnvironment(folder) : {}),
      }),
      workingFolder: folder.root,
      log: folder.logOf(name),
    }
    // The last step before: from now on, clients may be refused until the component listens.
    await freePorts(context, record, name)
    const started = await launchProcess(command, context.table)
    const checksum = componentChecksum(name, record, folder)
    await writeProcessRecord(folder.processOf(name), { ...started, checksum })
  }
}
