/** The path of a watch of Events after a revision. kube-apiserver has no cache of these, so the store itself answers. */
export function eventsSince(revision: number): string {
  return `/api/v1/events?watch=1&resourceVersion=${revision}&timeoutSeconds=5`
}
