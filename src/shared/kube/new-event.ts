import { randomUUID } from 'node:crypto'

/** The API server's limit for the message of an Event (validation of events.k8s.io). */
const MAX_MESSAGE_LENGTH = 1024

export interface NewEvent {
  about: { apiVersion: string; kind: string; name: string; namespace: string }
  level: 'normal' | 'warning'
  /** One word: `BackupFailed`. */
  reason: string
  message: string
  /** The program that reports it. */
  component: string
}

/** An Event about an object, in the namespace of that. */
export function newEvent({ about, component, level, message, reason }: NewEvent, now: Date) {
  const time = now.toISOString()
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${about.name}.${randomUUID()}`, namespace: about.namespace },
    involvedObject: about,
    reason,
    message: message.slice(0, MAX_MESSAGE_LENGTH),
    type: level === 'warning' ? 'Warning' : 'Normal',
    source: { component },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  }
}
