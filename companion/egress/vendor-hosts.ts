/**
 * Hosts that Chromium asks for its own sake (updates, components, network time, hints) and that are no pages. Quiet
 * switches stop most of it, not all.
 */
const vendorHosts = new Set([
  'android.clients.google.com',
  'clients1.google.com',
  'clients2.google.com',
  'clients3.google.com',
  'clients4.google.com',
  'clients5.google.com',
  'clients6.google.com',
  'clientservices.googleapis.com',
  'content-autofill.googleapis.com',
  'mtalk.google.com',
  'optimizationguide-pa.googleapis.com',
  'redirector.gvt1.com',
  'safebrowsing.googleapis.com',
  'safebrowsing.google.com',
  'safebrowsingohttpgateway.googleapis.com',
  'update.googleapis.com',
]);

export function isVendorHost(host: string): boolean {
  return vendorHosts.has(host) || host.endsWith('.gvt1.com');
}
