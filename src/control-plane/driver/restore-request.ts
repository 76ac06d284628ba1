/** The data that a plane is to have, and what is looked at before it counts. */
export interface RestoreRequest {
  /** The snapshot, a file of this machine that was verified. */
  file: string
  /** The latest revision of etcd that clients of the plane may have seen; 0 when nobody knows. */
  revision: number
  /** Image with Node.js that takes it in a host cluster. @default what the spec of the plane says */
  helperImage?: string | undefined
  /**
   * Returns when what etcd stores is what it is to be: called while nothing else of the plane runs. From then on the new
   * data is the plane's own, and the plane can be started another way. @default nobody looks
   */
  untilSound?: () => Promise<void>
  /** Returns when the plane that was started of the snapshot can be used. */
  untilAnswers: () => Promise<void>
  /** Keep the data that the plane had before, as nothing else holds it; otherwise it goes when the plane answers. */
  keepFormer: boolean
}
