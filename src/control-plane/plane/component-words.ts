import type { AnyComponentName } from './plane.ts'

/** A component as people read it: the plane's DNS server is in the pods of its syncer, and goes with it. */
export function componentWords(component: AnyComponentName): string {
  return component === 'syncer' ? 'syncer and CoreDNS' : component
}
