/** What a change of a plane would do, and nothing when the plane is as it is to be. */
export interface ChangePlan {
  /** In their order, each in words: `replace the pods of kube-apiserver`. */
  steps: string[]
  /** What differs in its objects, for who wants to know it all: `Deployment "x"`, then its fields. None of a plane of this machine. */
  objects: string[]
}
