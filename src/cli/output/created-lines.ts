import {
  isPausedByDeclaration,
  type Plane,
  type PlaneReference,
} from '../../control-plane/plane/plane.ts'
import { planeWords } from '../catalog/hint-text.ts'
import { formatTable } from './table.ts'
import type { Timing } from '../terminal/timings.ts'

export interface CreateOutcome {
  plane: Plane
  /** False when it was there before, with the same spec. */
  isNew: boolean
  isReady: boolean
  context?: string | undefined
  timings?: readonly Timing[] | undefined
}

/** What `create` prints for people. */
export function createdLines(outcome: CreateOutcome, bin: string): string[] {
  const { context, plane, timings } = outcome
  const words = planeWords(plane)
  const next = isPausedByDeclaration(plane)
    ? `Start it with: ${bin} resume ${words}`
    : context === undefined
      ? `Use it with: ${bin} connect ${words} -- kubectl get namespaces`
      : `The current context is "${context}". Go back with: ${bin} disconnect`
  return [
    createdSentence(outcome),
    next,
    ...(timings === undefined ? [] : ['', timingTable(timings)]),
  ]
}

/** What became of one plane. */
export function createdSentence({
  isNew,
  isReady,
  plane,
}: Pick<CreateOutcome, 'isNew' | 'isReady' | 'plane'>): string {
  const { desired } = plane
  const it = quotedPlane(plane)
  if (desired === 'paused' && isNew) {
    const until = isPausedByDeclaration(plane) ? 'it is resumed' : 'its first use'
    return `${it} is created, and paused. Nothing of it runs until ${until}.`
  }
  if (desired === 'paused') {
    return `${it} exists with the same spec and is paused.`
  }
  if (!isReady) {
    return isNew ? `${it} is starting.` : `${it} exists with the same spec.`
  }
  return isNew ? `${it} is ready.` : `${it} exists with the same spec and is ready.`
}

/** A plane in a sentence: `"dev" in namespace "team-a"`. */
export function quotedPlane(plane: Pick<PlaneReference, 'name' | 'namespace'>): string {
  const { name, namespace } = plane
  return namespace === undefined ? `"${name}"` : `"${name}" in namespace "${namespace}"`
}

function timingTable(timings: readonly Timing[]): string {
  const total = timings.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
  const rows = [...timings, { phase: 'In all', milliseconds: total }].map((timing) => ({
    phase: timing.phase,
    ms: String(timing.milliseconds),
  }))
  return formatTable(['phase', 'ms'], rows)
}
