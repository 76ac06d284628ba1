const FACTORS: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

const PATTERN = /^(\d+(?:\.\d*)?|\.\d+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,2}))?$/

/** Whether a text is a Kubernetes quantity of zero or more, such as `100m`, `1.5`, `256Mi` or `1e3`. */
export function isQuantity(text: string): boolean {
  return PATTERN.test(text)
}

/** In bytes or CPUs; undefined if invalid (kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity). */
export function quantityValue(text: string): number | undefined {
  const match = PATTERN.exec(text)
  if (match === null) {
    return undefined
  }
  const [, number = '', suffix = '', exponent = '0'] = match
  return Number(number) * (FACTORS[suffix] ?? 1) * 10 ** Number(exponent)
}
