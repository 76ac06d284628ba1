import type { Kept } from '../control-plane/plane/kept.ts'
import type { AnyComponentName } from '../control-plane/plane/plane.ts'
import type { CredentialSpecs } from '../control-plane/spec/credentials/credentials-spec.ts'
import type { BackupSpec } from '../control-plane/spec/fields/backup-spec.ts'
import type { Expose } from '../control-plane/spec/fields/host-spec.ts'
import { textAt } from '../shared/json-fields.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'
import { KEEPER_LABELS, KEPT_LABEL, MANAGED_BY } from './object-names.ts'

const SETTINGS = 'settings.json'

/** What the keeper of a namespace does for a plane. */
export interface KeeperSettings {
  name: string
  id: string
  /** The plane's components, in the order of their start. */
  components: readonly AnyComponentName[]
  /** 0 if it has another store. */
  etcdMembers: number
  /** The shared etcd that it compacts, and the Secret of the root user. @default the plane has none, or its owner does it */
  compacts?: { endpoints: readonly string[]; secret: string }
  /** The members have no volumes: one that loses its data copies that of the others. @default false */
  hasEphemeralMembers?: boolean
  /** @default the plane has no backups */
  backup?: BackupSpec
  /** The plane is paused when it is unused for this long: `30m`. @default never */
  idle?: string
  /** @default false */
  renews?: boolean
  /** Any client wakes the plane when it sleeps. @default false */
  wakes?: boolean
  /** The ranges of addresses of these clients. @default all */
  wakesFrom?: readonly string[]
  /** @default the plane has no Secrets with credentials */
  credentials?: CredentialSpecs
  /** How the plane is exposed, if a credential has that address. */
  expose?: Expose
  /** Whether a Prometheus scrapes the keeper. @default false */
  isMonitored?: boolean
}

/** The data of the ConfigMap with the settings. */
export function keeperSettingsData(settings: KeeperSettings): Record<string, string> {
  return { [SETTINGS]: JSON.stringify(settings) }
}

/** @throws {SyntaxError} when someone else wrote the ConfigMap. */
export function keeperSettingsOf(configMap: KubeObject): KeeperSettings {
  return JSON.parse(textAt(configMap, 'data', SETTINGS) ?? '')
}

/** Whether an object has the settings of a plane for its keeper. */
export function isKeeperSettings({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.labels?.[KEPT_LABEL] !== undefined
}

/** Whether the plane sleeps, and needs the keeper only to be woken. */
export function isAsleepIn({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.labels?.[KEPT_LABEL] === ('asleep' satisfies Kept)
}

/** Selects the settings of all planes of a namespace, or of those that need the keeper now. */
export function settingsSelector({ isKept = false }: { isKept?: boolean } = {}): string {
  const managed = `${MANAGED_BY}=${KEEPER_LABELS[MANAGED_BY]}`
  return isKept ? `${managed},${KEPT_LABEL} in (true,asleep)` : `${managed},${KEPT_LABEL}`
}

/** Returns the patch of the settings that says whether a plane needs the keeper now. */
export function keptAs(kept: Kept): unknown {
  return { metadata: { labels: { [KEPT_LABEL]: kept } } }
}
