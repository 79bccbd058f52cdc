/**
 * Of a table's rows. What arrives from another cell is as it is there until all of it is here: it is swept there meanwhile, by
 * the hour of that cell, and then both are compared.
 */
export const NOT_ARRIVING = `org_id <> all (array(select move.org_id from cell_moves move where move.state = 'arriving'))`;
