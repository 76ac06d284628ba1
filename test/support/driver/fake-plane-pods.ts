import type {
  AddressOutlook,
  PlanePods,
  PodVolume,
  ServiceAddress,
} from '../../../src/control-plane/driver/plane-pods.ts'

/** What planes in memory run, as tests say it. */
export class FakePlanePods implements PlanePods {
  /** The volume claims of all planes; each has a UID made of its name. */
  claims: string[] = []
  services: ServiceAddress[] = []
  /** What is said of any addresses. */
  answer: AddressOutlook = { lost: [] }

  volumes(): Promise<PodVolume[]> {
    return Promise.resolve(this.claims.map((name) => ({ name, uid: `uid of ${name}` })))
  }

  addresses(): Promise<ServiceAddress[]> {
    return Promise.resolve(this.services)
  }

  outlook(): Promise<AddressOutlook> {
    return Promise.resolve(this.answer)
  }
}
