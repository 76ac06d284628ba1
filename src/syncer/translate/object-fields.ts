import type { FieldDecisions } from './field-decisions.ts'

/** Fields that are made for the host: its names, markers, and the labels and annotations that it may have. */
const METADATA: FieldDecisions = {
  annotations: 'translate',
  creationTimestamp: 'drop',
  deletionGracePeriodSeconds: 'drop',
  deletionTimestamp: 'drop',
  finalizers: 'drop',
  generateName: 'drop',
  generation: 'drop',
  labels: 'translate',
  managedFields: 'drop',
  name: 'translate',
  namespace: 'translate',
  ownerReferences: 'drop',
  resourceVersion: 'drop',
  selfLink: 'drop',
  uid: 'translate',
}

/** The decisions for the fields that objects of all kinds have. */
export const OBJECT_FIELDS = {
  apiVersion: 'translate',
  kind: 'translate',
  metadata: METADATA,
} as const satisfies FieldDecisions

/** The decisions for a label selector, whose keys are those of the host. */
export const SELECTOR_FIELDS = {
  matchExpressions: { key: 'translate', operator: 'translate', values: 'translate' },
  matchLabels: 'translate',
} as const satisfies FieldDecisions
