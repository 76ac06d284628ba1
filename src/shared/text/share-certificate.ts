const CERTIFICATE = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g

/** Whether two texts with PEM have a certificate in common, as the CAs of a plane have before and after a stage of a rotation. */
export function shareCertificate(one: string, other: string): boolean {
  const known = certificatesIn(other)
  return certificatesIn(one).some((certificate) => known.includes(certificate))
}

function certificatesIn(pem: string): string[] {
  return [...pem.matchAll(CERTIFICATE)].map(([, base64 = '']) => base64.replaceAll(/\s/g, ''))
}
