/**
 * Headers of an answer that the egress proxy gave in place of the site. The code is one word; the reason is a sentence
 * for a person, percent-encoded because headers hold no other letters.
 */
export const egressCodeHeader = 'x-holdfast-egress';
export const egressReasonHeader = 'x-holdfast-egress-reason';
