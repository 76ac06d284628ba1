import type { JournalEntry } from '../../../control-plane/operations/journal.ts'
import { randomUUID } from 'node:crypto'
import type { CreateRequest } from '../../../control-plane/driver/requests.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { readOverlay } from '../../../manifests/templates/load-templates.ts'
import { createServiceAccountKeys } from '../../../pki/plane/service-account-keys.ts'
import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import { Journal } from '../record/journal.ts'
import type { PlacedName } from '../context/object-names.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { startPlane } from './start-plane.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { addRecord, type ReadableRecord, readRecord, toReadable } from '../record/record-store.ts'
import { isNeverStarted, NO_FORMER } from '../../../control-plane/plane/recorded-plane.ts'
import { formatDifferences, specDifferences } from '../../../control-plane/changes/spec-diff.ts'
import type { Hint } from '../../../shared/hint.ts'
import { checkFindings } from '../preflight/check-findings.ts'
import { withExtraRights } from '../preflight/rights/extra-rights.ts'
import { holdInNamespace } from '../namespace/hold-namespace.ts'
import { makePlane } from './make-plane.ts'
import { newDatabaseFiles } from '../database/database-files.ts'
import { sharedEtcdCredentials } from '../shared-etcd/shared-etcd-credentials.ts'
import { allOf, keeperObjects, planeObjects } from '../objects/plane-objects.ts'
import type { Ui } from '../../../shared/ui.ts'

/**
 * Creates a plane, continues an interrupted creation, or starts missing components of an existing plane.
 *
 * @throws {VplaneError} `FAILED` when preflight finds problems, before anything is changed.
 */
export async function createPlane(
  context: KubernetesContext,
  request: CreateRequest,
  operation: Operation,
): Promise<ReadableRecord> {
  const host = await context.host()
  const place = { name: request.name, namespace: request.host?.namespace ?? host.namespace }
  // Preflight reports a missing right to read the record, together with all other problems.
  const known = await unlessRefused(readRecord(host.api, place, operation))
  if (known === undefined) {
    return makeNew(context, { host, place, request }, operation)
  }
  const stored = toReadable(known)
  const { declaredBy, desired } = stored.record
  if (request.awaitsRestore !== undefined && stored.record.restoring !== undefined) {
    return completeAtRest(context, { host, stored, ...request.awaitsRestore }, operation)
  }
  if (desired === 'kept') {
    await adoptRetainedData(stored.record, request, operation.ui)
    return makeNew(context, { host, place, request: adopting(request, stored.record) }, operation)
  }
  // The operator would pause a declared one again.
  const isStarted =
    isNeverStarted(stored.record) && declaredBy === undefined && request.isPaused !== true
  if (desired === 'paused' && !isStarted) {
    return stored.record.restoring === undefined
      ? completeAtRest(context, { host, stored }, operation)
      : stored
  }
  return startPlane(context, stored, operation)
}

/**
 * Returns when a plane may be created with the data of a deleted one.
 *
 * @throws {VplaneError} `CONTROL_PLANE_EXISTS` when the data has another spec, `ABORTED` after a no, `USAGE` when
 * vplane cannot ask.
 */
export async function adoptRetainedData(
  retained: PlaneRecord,
  { host, name, userSpec }: CreateRequest,
  ui: Ui,
): Promise<void> {
  const hints: Hint[] = [{ purpose: 'to delete the data', action: 'delete', plane: { name } }]
  const differences = specDifferences(retained.userSpec, userSpec)
  if (differences.length > 0) {
    const lines = formatDifferences(differences).map((line) => `  ${line}`)
    throw new VplaneError(
      'CONTROL_PLANE_EXISTS',
      `the data of the deleted plane "${name}" has another spec:\n${lines.join('\n')}`,
      { hints: ['use the spec of the deleted plane', ...hints] },
    )
  }
  const question = `"${name}" was deleted and its data kept. Create it with this data?`
  if (host?.adopt !== true && !(await ui.confirm(question, { option: 'adopt' }))) {
    throw new VplaneError('ABORTED', `the data of "${name}" was left as it is`, { hints })
  }
}

/** Answers beforehand, because vplane asks nothing while it holds the plane. */
function adopting(request: CreateRequest, { sharesNamespace }: PlaneRecord): CreateRequest {
  const shareNamespace = request.host?.shareNamespace === true || sharesNamespace === true
  return { ...request, host: { ...request.host, adopt: true, shareNamespace } }
}

async function makeNew(
  {
    databases,
    diagnose,
    now,
    preflight,
    makeServiceAccountKeys = createServiceAccountKeys,
  }: KubernetesContext,
  { host, place, request: asked }: { host: Host; place: PlacedName; request: CreateRequest },
  operation: Operation,
): Promise<ReadableRecord> {
  const { api, context: hostContext } = host
  const { signal, ui } = operation
  const serviceAccountKeys = makeServiceAccountKeys()
  const spec = await withExtraRights(api, { place, spec: asked.spec }, operation)
  const request = { ...asked, spec }
  await newDatabaseFiles(api, place, { spec, signal })
  const record = newRecord(request, now())
  await sharedEtcdCredentials(api, place, { record, now: now(), signal })
  const { answers, createNamespace = true, shareNamespace = false } = request.host ?? {}
  if (request.host?.skipPreflight !== true) {
    ui.step(`Checking namespace "${place.namespace}"`)
    // A paused plane needs no room yet, but will need it.
    const running = { ...record, desired: 'running' } as const
    const shared = answers?.accepts === undefined ? keeperObjects(place, running) : []
    const manifests = [...allOf(planeObjects(place, running, {})), ...shared]
    const wanted = { spec, manifests, createNamespace, shareNamespace, answers }
    const findings = await preflight({ ...place, ...wanted, api, hostContext, signal })
    const refusal = `"${place.name}" cannot be created in namespace "${place.namespace}", nothing was changed:`
    checkFindings(findings, { refusal, ui })
  }
  await using hold = await holdInNamespace(api, {
    ...place,
    now,
    signal,
    createFor: createNamespace ? record.id : undefined,
    ui,
  })
  const { createdNamespace, lease } = hold
  const at = now().toISOString()
  const step = 'applying the endpoint'
  const entry: JournalEntry = { operation: 'create', step, at, holder: lease.holder }
  // Another client may have created it since vplane read the record.
  const stored = await addUnlessPresent(api, place, {
    record: { ...record, createdNamespace, journal: entry },
    signal,
  })
  const journal = new Journal(api, { lease, stored, operation: 'create', now, signal })
  if (stored.record.desired === 'kept') {
    await adoptRetainedData(stored.record, request, ui)
    await journal.step('applying the endpoint', {
      desired: record.desired,
      isComplete: false,
      ...(record.sharesNamespace === true ? { sharesNamespace: true } : {}),
    })
  }
  if (!journal.record.isComplete) {
    const { keys: existing } = asked.awaitsRestore ?? {}
    const parts = { place, now, operation, serviceAccountKeys, existing, answers }
    await makePlane({ databases, diagnose, host }, journal, parts)
  }
  return journal.stored
}

/** Continues the creation of a paused plane, and starts nothing. */
async function completeAtRest(
  {
    databases,
    diagnose,
    now,
    makeServiceAccountKeys = createServiceAccountKeys,
  }: KubernetesContext,
  { host, keys, stored }: { host: Host; stored: ReadableRecord; keys?: Record<string, string> },
  operation: Operation,
): Promise<ReadableRecord> {
  if (stored.record.isComplete) {
    return stored
  }
  const { name, namespace, record } = stored
  const place = { name, namespace }
  const kind = keys === undefined ? 'create' : 'restore'
  await using held = await holdPlane(
    host,
    { place, id: record.id, operation: kind, now },
    operation,
  )
  const serviceAccountKeys = makeServiceAccountKeys()
  const parts = { place, now, operation, serviceAccountKeys, existing: keys }
  await makePlane({ databases, diagnose, host }, held.journal, parts)
  return held.journal.stored
}

async function addUnlessPresent(
  api: Host['api'],
  place: PlacedName,
  options: { record: PlaneRecord; signal: AbortSignal },
): Promise<ReadableRecord> {
  try {
    return await addRecord(api, place, options)
  } catch (error) {
    const isTaken = isVplaneError(error, 'CONFLICT')
    const stored = isTaken ? await readRecord(api, place, options) : undefined
    if (stored === undefined) {
      throw error
    }
    return toReadable(stored)
  }
}

function waitingForData({
  movingFrom,
}: NonNullable<CreateRequest['awaitsRestore']>): Pick<PlaneRecord, 'desired' | 'restoring'> {
  const from = movingFrom === undefined ? {} : { movingFrom }
  return { desired: 'paused', restoring: { former: NO_FORMER, ...from } }
}

function newRecord(
  {
    awaitsRestore,
    declaredBy,
    host,
    isPaused = false,
    name,
    spec,
    startsInOrder,
    userSpec,
  }: CreateRequest,
  now: Date,
): PlaneRecord {
  const { shareNamespace = false, templates } = host ?? {}
  return {
    formatVersion: 1,
    writtenBy: '',
    id: randomUUID(),
    name,
    createdAt: now.toISOString(),
    ...(awaitsRestore === undefined
      ? isPaused
        ? { desired: 'paused', neverStarted: true }
        : { desired: 'running' }
      : waitingForData(awaitsRestore)),
    hasKeys: false,
    isComplete: false,
    hasData: false,
    createdNamespace: false,
    ...(shareNamespace ? { sharesNamespace: true } : {}),
    userSpec,
    spec,
    ...(declaredBy === undefined ? {} : { declaredBy }),
    ...(startsInOrder === true ? { startsInOrder } : {}),
    ...(templates === undefined ? {} : { templates: readOverlay(templates) }),
  }
}
