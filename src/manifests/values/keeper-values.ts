import {
  ENCRYPTION_FILE,
  encryptionKeyHashes,
} from '../../control-plane/components/encryption-configuration.ts'
import {
  type AnyComponentName,
  componentsOf,
  ownComponentsOf,
} from '../../control-plane/plane/plane.ts'
import { keptOf } from '../../control-plane/plane/kept.ts'
import { wakesForAny } from '../../control-plane/plane/is-woken-by-any.ts'
import { canStore, sharedEtcdOf } from '../../control-plane/store/store.ts'
import { hasEphemeralMembers } from '../../control-plane/spec/needs-keeper.ts'
import type { HostSpec } from '../../control-plane/spec/fields/host-spec.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { packageVersion } from '../../shared/package-root.ts'
import { toSecretData } from './component-values.ts'
import type { TemplateValues } from '../templates/fill-template.ts'
import { GATEWAY_PORTS, KEEPER_PORT } from '../ports.ts'
import { type KeeperSettings, keeperSettingsData } from '../keeper-settings.ts'
import { hostOf, type ManifestInput } from '../templates/manifest-input.ts'
import {
  GATEWAY_LABELS,
  GATEWAY_NAME,
  KEEPER_LABELS,
  KEEPER_NAME,
  KEPT_LABEL,
  lockName,
  objectLabels,
  objectName,
  secretNames,
} from '../object-names.ts'
import { planesName, wakesName } from '../gateway-records.ts'
import { checksumOf, filesOfPod, KEY_HASHES_FILE } from '../pod-files.ts'
import { memberName } from '../pod-layout.ts'
import { type HostedProgram, readProgram } from '../templates/load-templates.ts'

/** The keeper uses it to ask kube-apiserver how much the plane is used, and for credentials. */
const PROXY_KEY = 'front-proxy-client.key'

/** It shows by which key tokens are signed. */
const TOKEN_KEYS = 'sa.pub'

/** What a plane has for the keeper of its namespace; undefined if it needs none. */
export function keeperValues(input: ManifestInput): TemplateValues | undefined {
  const { files, name, spec } = input
  const { etcd, keeper, sync } = hostOf(spec)
  if (keeper === undefined) {
    return undefined
  }
  const labels = objectLabels(name, 'keeper')
  const secret = Object.fromEntries(
    Object.entries(filesOfPod('keeper', files)).filter(
      ([file]) =>
        (file !== PROXY_KEY || spec.idle !== undefined || spec.credentials !== undefined) &&
        (file !== TOKEN_KEYS || spec.credentials !== undefined),
    ),
  )
  const components = componentsOf(spec)
  const bucket = spec.backup?.secret
  const compacted = compactedEtcd(spec)
  return {
    name: objectName(name, 'keeper'),
    account: KEEPER_NAME,
    labels,
    settingsName: objectName(name, 'keeper-settings'),
    settingsLabels: { ...labels, [KEPT_LABEL]: keptOf(input) },
    settings: keeperSettingsData(settingsOf(input, components)),
    statusName: objectName(name, 'keeper-status'),
    readSecrets: [
      ...new Set([
        objectName(name, 'keeper'),
        ...(bucket === undefined ? [] : [bucket]),
        ...(compacted === undefined ? [] : [compacted.secret]),
      ]),
    ],
    membersName: objectName(name, 'keeper-members'),
    memberPods: Array.from({ length: etcd.replicas }, (_, ordinal) => memberName(name, ordinal)),
    idleName: objectName(name, 'keeper-idle'),
    recordName: objectName(name, 'record'),
    wakeName: objectName(name, 'keeper-wake'),
    gatewayPlanesName: planesName(GATEWAY_NAME),
    volumesName: objectName(name, 'keeper-volumes'),
    lockName: lockName(name),
    renewName: objectName(name, 'keeper-renew'),
    credentialsName: objectName(name, 'keeper-credentials'),
    credentialSecrets: ownCredentials(input),
    addressesName: objectName(name, 'keeper-addresses'),
    endpointName: objectName(name, 'api'),
    secretNames: secretNames(name, components),
    workloads: ownComponentsOf(spec).map((component) => objectName(name, component)),
    podVerbs: ['list', 'watch', ...(sync === undefined ? [] : ['delete'])],
    secretData: toSecretData({ ...secret, ...keyHashes(input) }),
  }
}

/** Backups record by which keys their Secrets can be read. What shows a plane without its keys has only their names. */
function keyHashes({ files, spec }: ManifestInput): Record<string, string> {
  const isKnown = files[ENCRYPTION_FILE]?.startsWith('{') === true
  return spec.backup === undefined || !isKnown
    ? {}
    : { [KEY_HASHES_FILE]: JSON.stringify(encryptionKeyHashes(files)) }
}

/** The keeper of the namespace as this plane wants it. @throws {VplaneError} `FAILED` when it was not built. */
export function namespaceKeeperValues(input: ManifestInput): TemplateValues | undefined {
  const { keeper, monitor } = hostOf(input.spec)
  return (
    keeper && {
      ...sharedValues(input, { program: 'keeper', labels: KEEPER_LABELS, workload: keeper }),
      name: KEEPER_NAME,
      version: packageVersion(),
      port: KEEPER_PORT,
      monitorLabels: { ...monitor?.labels, ...KEEPER_LABELS },
    }
  )
}

/** The gateway of the namespace as this plane wants it; undefined if it needs none. @throws as `namespaceKeeperValues` does. */
export function gatewayValues(input: ManifestInput): TemplateValues | undefined {
  const { keeper } = hostOf(input.spec)
  if (keeper === undefined || !wakesForAny(input.spec)) {
    return undefined
  }
  return {
    ...sharedValues(input, { program: 'gateway', labels: GATEWAY_LABELS, workload: keeper }),
    name: GATEWAY_NAME,
    planesName: planesName(GATEWAY_NAME),
    wakesName: wakesName(GATEWAY_NAME),
    port: GATEWAY_PORTS.health,
  }
}

interface SharedProgram {
  program: HostedProgram
  labels: Readonly<Record<string, string>>
  workload: NonNullable<HostSpec['keeper']>
}

/** What the programs that all planes of a namespace share have in common. */
function sharedValues(
  { programOf = readProgram, spec }: ManifestInput,
  { labels, program, workload: { image, resources } }: SharedProgram,
): TemplateValues {
  const { affinity, annotations, labels: ofPods } = hostOf(spec).pods
  const bundle = programOf(program)
  const checksum = checksumOf({ bundle })
  return {
    labels,
    selector: labels,
    podLabels: { ...ofPods, ...labels },
    podAnnotations: { ...annotations, 'vplane.dev/bundle-checksum': checksum },
    affinity,
    image,
    resources,
    bundle,
    checksum,
  }
}

function settingsOf(
  { id, name, spec }: ManifestInput,
  components: readonly AnyComponentName[],
): KeeperSettings {
  const { etcd, expose, monitor } = hostOf(spec)
  const { backup, credentials, idle } = spec
  return omitUndefined({
    name,
    id,
    components,
    etcdMembers: canStore(spec, 'members') ? etcd.replicas : 0,
    compacts: compactedEtcd(spec),
    hasEphemeralMembers: hasEphemeralMembers(spec) ? true : undefined,
    backup,
    idle,
    renews: spec.renew,
    wakes: wakesForAny(spec) ? true : undefined,
    wakesFrom: spec.wake?.from,
    credentials,
    expose: hasExposedCredentials(spec) ? expose : undefined,
    isMonitored: monitor === undefined ? undefined : true,
  })
}

/** The shared etcd that the keeper compacts: that needs the root user. */
function compactedEtcd(spec: PlaneSpec): KeeperSettings['compacts'] {
  const { endpoints = [], root } = sharedEtcdOf(spec) ?? {}
  const secret = root?.credentialsSecret
  return secret === undefined ? undefined : { endpoints, secret }
}

/** The names of the Secrets with credentials in the namespace of the plane. */
export function ownCredentials({
  namespace: own,
  spec,
}: Pick<ManifestInput, 'namespace' | 'spec'>): string[] {
  return Object.values(spec.credentials ?? {})
    .filter(({ namespace = own }) => namespace === own)
    .map(({ secret }) => secret)
}

/** Whether a credential has the address outside of the host cluster. */
export function hasExposedCredentials({
  credentials = {},
}: Pick<PlaneSpec, 'credentials'>): boolean {
  return Object.values(credentials).some(({ address }) => address === 'exposed')
}
