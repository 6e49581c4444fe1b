// The reducer, asked about differences that are put in.
#pragma once

namespace quern::random_graphs {

// Of each of some graphs one pair of operators is taken for a difference: what is left must be that pair and little else.
bool reducer_works();

}  // namespace quern::random_graphs
