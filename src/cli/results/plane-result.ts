import type { BackupStatus } from '../../control-plane/status/backup-status.ts'
import { isReadable } from '../../control-plane/plane/unreadable-plane.ts'
import type {
  ComponentStatus,
  NetworkPolicyEffect,
  OperationStatus,
  PlaneEvent,
  PlanePhase,
} from '../../control-plane/status/plane-status.ts'
import type { WakeStatus } from '../../control-plane/status/wake-status.ts'
import { isOutdated } from '../../control-plane/plane/plane.ts'
import type { RotatedKeys, RotationStage } from '../../control-plane/rotation/rotation.ts'
import type { PlaneSpec, UserSpec } from '../../control-plane/spec/spec.ts'
import type { ListedPlane } from '../../control-plane/use-cases/find/list-control-planes.ts'
import { hintTexts } from '../catalog/hint-text.ts'
import { type PlaceResult, toPlaceResult } from './place-result.ts'

/** A plane in `--json` results: part of the contract in schemas/. */
export interface PlaneResult extends PlaceResult {
  name: string
  labels: Record<string, string>
  status: PlanePhase
  reason: string | null
  version: string | null
  connected: boolean
  /** The tunnel on this machine that leads to it. */
  tunnel: { address: string; up: boolean; problem: string | null } | null
  server: string | null
  /** ISO 8601. */
  certificatesExpireAt: string | null
  createdAt: string | null
  /** An older vplane created it; `vplane upgrade NAME` updates it. */
  outdated: boolean
}

export interface PlaneDetails extends PlaneResult {
  id: string | null
  writtenBy: string | null
  components: Array<{
    name: string
    state: ComponentStatus['state']
    reason: string | null
    instance: string | null
    address: string | null
    startedAt: string | null
    /** Null with the local driver. */
    replicas: { wanted: number; ready: number } | null
    image: string | null
  }>
  /** What to do about a plane that is not ready, if vplane knows. */
  hints: string[]
  /** Every address of its API; empty with the local driver. */
  endpoints: string[]
  /** Rotations of its keys that are not complete; null when its keys cannot be read. */
  rotations: Array<{
    keys: RotatedKeys
    /** The stage that comes next. */
    next: RotationStage
    /** That stage was interrupted. */
    cutOff: boolean
  }> | null
  backup: {
    last: { id: string; at: string; revision: number; sizeBytes: number } | null
    /** Why the last backups failed, and how many failed in a row. */
    failure: { at: string; reason: string; count: number } | null
    nextAt: string | null
  } | null
  /** When it was last used; null if it has no idle timeout. */
  lastUsedAt: string | null
  /** How clients that connect to its address wake it; null where only contexts do. */
  wakes: {
    /** All wakes. */
    count: number
    /** The last ten, the latest last. */
    recent: Array<{
      at: string
      /** The client; null if unknown. */
      by: string | null
      /** The server that the client asked for; null if it named none. */
      serverName: string | null
      /** From the connection until the API was ready. */
      seconds: number
    }>
    /** Why it does not pause itself although nobody uses it; null if it does. */
    staysAwake: { since: string; reason: string } | null
  } | null
  /** Alarms of its keeper; empty without a keeper, and for a paused plane. */
  alarms: Array<{ reason: string; subject: string; message: string; since: string }>
  /** Whether NetworkPolicies have an effect on its host; null if it runs no pods, with a shared etcd, and before a syncer has found out. */
  networkPolicies: NetworkPolicyEffect | null
  /** Of the last hour, the latest last. */
  events: Array<{
    at: string
    level: PlaneEvent['level']
    object: string
    reason: string
    message: string
    count: number
  }>
  /** The operation that is under way or was interrupted; null if there is none. */
  operation: {
    kind: string
    step: string
    since: string
    at: string
    holder: string
    interrupted: boolean
    /** The commands that continue it; empty while it is under way. */
    hints: string[]
  } | null
  userSpec: UserSpec | null
  spec: PlaneSpec | null
}

export type Listed = ListedPlane

/** A plane as `--json` shows it. */
export function toPlaneResult({ isConnected, plane, status, tunnel }: Listed): PlaneResult {
  const stored = isReadable(plane) ? plane : undefined
  return {
    name: plane.name,
    ...toPlaceResult(plane),
    labels: stored?.userSpec.labels ?? {},
    status: status.phase,
    reason: status.reason ?? null,
    version: stored?.spec.version ?? null,
    connected: isConnected,
    tunnel:
      tunnel === undefined
        ? null
        : { address: tunnel.address, up: tunnel.isUp, problem: tunnel.problem ?? null },
    server: status.server ?? null,
    certificatesExpireAt: status.certificatesExpireAt?.toISOString() ?? null,
    createdAt: stored?.createdAt.toISOString() ?? null,
    outdated: stored !== undefined && isOutdated(stored),
  }
}

/** A plane with everything that is known of it. */
export function toPlaneDetails(listed: Listed): PlaneDetails {
  const stored = isReadable(listed.plane) ? listed.plane : undefined
  return {
    ...toPlaneResult(listed),
    id: stored?.id ?? null,
    writtenBy: stored?.writtenBy ?? null,
    components: listed.status.components.map((component) => ({
      name: component.name,
      state: component.state,
      reason: component.reason ?? null,
      instance: component.instance ?? null,
      address: component.address ?? null,
      startedAt: component.startedAt?.toISOString() ?? null,
      replicas: component.replicas ?? null,
      image: component.image ?? null,
    })),
    hints: hintTexts(listed.status.hints ?? []),
    endpoints: listed.status.endpoints ?? [],
    rotations:
      listed.rotations?.map(({ isCutOff, ...rotation }) => ({ ...rotation, cutOff: isCutOff })) ??
      null,
    backup: listed.status.backup === undefined ? null : toBackupResult(listed.status.backup),
    lastUsedAt: listed.status.usedAt?.toISOString() ?? null,
    wakes: toWakesResult(listed.status.wakes),
    alarms: (listed.status.alarms ?? []).map(({ since, ...alarm }) => ({
      ...alarm,
      since: since.toISOString(),
    })),
    networkPolicies: listed.status.networkPolicies ?? null,
    events: (listed.status.events ?? []).map(({ at, ...event }) => ({
      at: at.toISOString(),
      ...event,
    })),
    operation: toOperationResult(listed.status.operation),
    userSpec: stored?.userSpec ?? null,
    spec: stored?.spec ?? null,
  }
}

function toWakesResult(wakes: WakeStatus | undefined): PlaneDetails['wakes'] {
  if (wakes === undefined) {
    return null
  }
  const { count, recent, staysAwake: stay } = wakes
  return {
    count,
    recent: recent.map(({ at, ms, serverName = null, source }) => ({
      at: at.toISOString(),
      by: source?.name ?? null,
      serverName,
      seconds: ms / 1000,
    })),
    staysAwake:
      stay === undefined ? null : { since: stay.since.toISOString(), reason: stay.reason },
  }
}

function toOperationResult(operation: OperationStatus | undefined): PlaneDetails['operation'] {
  if (operation === undefined) {
    return null
  }
  const { at, hints, holder, isInterrupted, kind, since, step } = operation
  return {
    kind,
    step,
    since: since.toISOString(),
    at: at.toISOString(),
    holder,
    interrupted: isInterrupted,
    hints: hintTexts(hints),
  }
}

function toBackupResult({ failure, last, nextAt }: BackupStatus): PlaneDetails['backup'] {
  return {
    last: last === undefined ? null : { ...last, at: last.at.toISOString() },
    failure: failure === undefined ? null : { ...failure, at: failure.at.toISOString() },
    nextAt: nextAt?.toISOString() ?? null,
  }
}
