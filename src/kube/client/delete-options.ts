/** How an object is deleted. */
export interface DeleteOptions {
  /**
   * What becomes of the objects that it owns: deleted before it, after it, or not at all.
   *
   * @default what the kind's own default is, which is `Background` for almost all
   */
  propagation?: 'Foreground' | 'Background' | 'Orphan' | undefined
  /** Only the object with this uid. */
  uid?: string | undefined
  /** Only the object as it was at this resource version. */
  resourceVersion?: string | undefined
  /** How long a pod has to end, in seconds; 0 forgets it at once. @default what the pod says */
  graceSeconds?: number | undefined
}

/** The body of a DELETE; undefined when there is nothing to say. */
export function toDeleteBody(options: DeleteOptions): object | undefined {
  const { graceSeconds, propagation, resourceVersion, uid } = options
  const fields = {
    ...(propagation !== undefined && { propagationPolicy: propagation }),
    ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
    ...((uid ?? resourceVersion) !== undefined && {
      preconditions: {
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
      },
    }),
  }
  return Object.keys(fields).length === 0
    ? undefined
    : { apiVersion: 'v1', kind: 'DeleteOptions', ...fields }
}
