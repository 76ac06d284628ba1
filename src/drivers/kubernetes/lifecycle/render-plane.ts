import { createHash, randomUUID } from 'node:crypto'
import { checkArguments } from '../../../control-plane/components/check-arguments.ts'
import { specDifferences } from '../../../control-plane/changes/spec-diff.ts'
import { parseName } from '../../../control-plane/plane/names.ts'
import { resolveSpec } from '../../../control-plane/spec/resolve-spec.ts'
import type { PlaneSpec, UserSpec } from '../../../control-plane/spec/spec.ts'
import type { Manifest } from '../../../manifests/manifest.ts'
import { readOverlay } from '../../../manifests/templates/load-templates.ts'
import {
  type RenderedManifests,
  renderManifests,
} from '../../../manifests/render/render-manifests.ts'
import { createServiceAccountKeys } from '../../../pki/plane/service-account-keys.ts'
import { isVplaneError, messageOf, VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import { certificateFields, storedKeys } from '../objects/stored-keys.ts'
import { makeKeys, type PlaneFiles } from '../objects/plane-keys.ts'
import { allOf, collectionsOf, keeperObjects, planeObjects } from '../objects/plane-objects.ts'
import type { HostApi } from '../host/host-api.ts'
import { databaseOf, isAtServer, sharedEtcdOf } from '../../../control-plane/store/store.ts'
import { DATABASE_FILES } from '../../../manifests/database-files.ts'
import { SHARED_ETCD_FILES } from '../../../manifests/shared-etcd-files.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { readRecord, toReadable, toRecordSecret } from '../record/record-store.ts'

export interface RenderOptions extends PlacedName {
  userSpec: UserSpec
  /** Whether the user gave a spec; without one, an existing plane is rendered with its own. */
  isSpecGiven: boolean
  /** Folder with templates that replace or extend those of vplane. */
  templates?: string | undefined
  /** Without it, Secrets with keys are left out of the text. */
  showSecrets: boolean
  /** @default 'yaml' */
  format?: 'yaml' | 'json' | undefined
  signal: AbortSignal
}

export interface RenderedPlane extends RenderedManifests {
  /** In the order in which they are applied, with those that the text leaves out. */
  objects: Manifest[]
}

interface RenderRequest extends RenderOptions {
  spec: PlaneSpec
  now: Date
}

export interface RenderDependencies {
  /** Undefined without a host cluster. */
  host: () => Promise<{ api: Pick<HostApi, 'get' | 'list'> } | undefined>
  now: () => Date
  ui: Pick<Ui, 'warn'>
}

/**
 * Returns the objects of a plane as `create` would apply them, as YAML. An existing plane is rendered with its own
 * keys; a host that does not respond matters only when keys are shown.
 *
 * For a new plane, everything except its keys is the same every time. With its keys shown, the objects include a
 * record, so that vplane finds the plane after another tool has applied them.
 *
 * @throws {VplaneError} `INVALID_NAME`, `INVALID_SPEC` when spec or template are wrong, `USAGE` when the spec is wrong;
 * the failure of the host when keys are shown.
 */
export async function renderPlane(
  { host, now, ui }: RenderDependencies,
  { name, ...options }: RenderOptions,
): Promise<RenderedPlane> {
  const spec = resolveSpec(options.userSpec, 'kubernetes')
  checkArguments(spec)
  const request = { ...options, name: parseName(name), spec, now: now() }
  try {
    return await render((await host())?.api, request)
  } catch (error) {
    if (options.showSecrets || !isUnanswered(error)) {
      throw error
    }
    const [why] = messageOf(error).split('\n')
    ui.warn(`whether "${name}" exists is not known: ${why}`)
    return render(undefined, request)
  }
}

function isUnanswered(error: unknown): boolean {
  return isVplaneError(error, 'UNREACHABLE', 'TIMED_OUT')
}

async function render(
  api: Pick<HostApi, 'get' | 'list'> | undefined,
  request: RenderRequest,
): Promise<RenderedPlane> {
  const known = await knownPlane(api, request)
  const { files, isNew, record } = known ?? (await newPlane(request))
  const ofPlane = allOf(planeObjects(request, record, files))
  const { format, showSecrets } = request
  const collections = collectionsOf(ofPlane)
  const own = isNew && showSecrets ? [toRecordSecret(request, { ...record, collections })] : []
  const keeper = record.desired === 'running' ? keeperObjects(request, record) : []
  const objects = [...own, ...ofPlane, ...keeper]
  const secrets = showSecrets ? 'show' : 'omit'
  return { objects, ...renderManifests(objects, { secrets, format }) }
}

interface DescribedPlane {
  record: PlaneRecord
  files: PlaneFiles
  isNew: boolean
}

/** The user's spec and templates take precedence. */
async function knownPlane(
  api: Pick<HostApi, 'get' | 'list'> | undefined,
  request: RenderRequest,
): Promise<DescribedPlane | undefined> {
  const stored = api && (await readRecord(api, request, request))
  if (api === undefined || stored === undefined) {
    return undefined
  }
  const { record } = toReadable(stored)
  const { isSpecGiven, signal, spec, templates, userSpec } = request
  // What users said is compared: what a vplane resolved it to before stays, such as the default version of then.
  const isChange = isSpecGiven && specDifferences(record.userSpec, userSpec).length > 0
  return {
    isNew: false,
    files: record.hasKeys ? await storedKeys(api, request, signal) : await namedFiles(request),
    record: {
      ...record,
      // Of a plane that runs pods, create read the range from the host.
      ...(isChange
        ? { spec: { ...spec, serviceRange: userSpec.serviceRange ?? record.spec.serviceRange } }
        : {}),
      ...(templates === undefined ? {} : { templates: readOverlay(templates) }),
    },
  }
}

/** @throws {VplaneError} `UNSUPPORTED` with the keys of a plane whose database or user at a server `create` makes. */
async function newPlane(request: RenderRequest): Promise<DescribedPlane> {
  const { name, now, showSecrets, spec, templates, userSpec } = request
  if (showSecrets && isAtServer(spec)) {
    const made = databaseOf(spec) === undefined ? 'user in the shared etcd' : 'database'
    const message = `the keys of "${name}" cannot be shown before it exists: its ${made} must be made`
    throw new VplaneError('UNSUPPORTED', message, { hints: [{ action: 'create', plane: request }] })
  }
  const files = showSecrets
    ? await makeKeys(request, {
        spec,
        now,
        addresses: [],
        serviceAccountKeys: createServiceAccountKeys(),
      })
    : await namedFiles(request)
  const record: PlaneRecord = {
    formatVersion: 1,
    writtenBy: '',
    id: showSecrets ? randomUUID() : steadyId(request),
    name: request.name,
    createdAt: now.toISOString(),
    desired: 'running',
    hasKeys: true,
    isComplete: true,
    hasData: false,
    createdNamespace: false,
    userSpec,
    spec,
    ...(showSecrets ? certificateFields(files) : {}),
    ...(templates === undefined ? {} : { templates: readOverlay(templates) }),
  }
  return { isNew: true, files, record }
}

/** Returns the names of the files as their contents: objects that depend on keys are then the same every time. */
async function namedFiles(request: RenderRequest): Promise<PlaneFiles> {
  const keys = await makeKeys(request, {
    spec: request.spec,
    now: request.now,
    addresses: [],
    serviceAccountKeys: Promise.resolve({ 'sa.key': '', 'sa.pub': '' }),
  })
  const names = [
    ...Object.keys(keys),
    ...(databaseOf(request.spec) === undefined ? [] : DATABASE_FILES),
    ...(sharedEtcdOf(request.spec) === undefined ? [] : Object.values(SHARED_ETCD_FILES)),
  ]
  return Object.fromEntries(names.map((name) => [name, `<${name}>`]))
}

function steadyId({ name, namespace }: PlacedName): string {
  const hex = createHash('sha256').update(`${namespace}/${name}`).digest('hex')
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
